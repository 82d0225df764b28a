/** What a heading or the line above a list says about the numbers below it. */
export type Verdict =
  /** One after the other: the higher, the more surely. */
  | { readonly kind: 'plan'; readonly sure: 1 | 2 | 3; readonly word: string }
  /** They describe, enumerate or advise. */
  | { readonly kind: 'no'; readonly sure: 1 | 3 }
  /** They hold only in one case or mode. */
  | { readonly kind: 'case' }

interface Words {
  readonly test: (text: string) => boolean
  /** The first word that fits. */
  readonly find: (text: string) => string | undefined
}

/** English words are whole; European ones inflect at the end; the others write without spaces. */
function words(english: string, european: string, others: string): Words {
  const latin = new RegExp(String.raw`(?<![a-z\d])(?:(?:${english})(?![a-z\d])|${european})`, 'i')
  const asian = new RegExp(others, 'u')
  // The dotted capital of Turkish has no lower case of its own.
  const find = (text: string) =>
    (latin.exec(text.replaceAll('İ', 'i')) ?? (ASIAN.test(text) ? asian.exec(text) : null))?.[0]
  return { find, test: (text) => find(text) !== undefined }
}

const ASIAN = /[\u3000-\uffef]/

/** These win over words of procedures: a workflow example is an example. */
const NEVER = words(
  [
    'best practices?|examples?|samples?|capabilit(?:y|ies)|features?|tips?|notes?|references?|resources?',
    'principles?|philosophy|guidelines?|rules?|laws?|directives?|non-negotiables|constraints?|invariants?',
    'pitfalls?|gotchas?|anti-?patterns?|mistakes?|red flags?|limitations?|faqs?|concepts?|learnings?|lessons?',
    'when to|when not to|when (?:a|an|the|no|you|askuserquestion)|see also|why|criteri(?:a|on)',
    'decision (?:framework|matrix|guide|principles?)|troubleshooting|debugging|edge cases?|error handling|errors?|failures?|fallback',
    'templates?|formats?|outcomes?|questions?|related|integration|learn more|further reading|faq',
    'install(?:ation)?|quick ?start|getting started|prerequisites?|one-time|future|roadmap|enhancements?|improvements?|shifts?|evolution|critical flows?|changelog|limits|quick reference|cheat ?sheet|glossary',
  ].join('|'),
  [
    'en iyi uygulama|örnek|prensip|ilke|kural|yönerge|ipucu|ipuçları|notlar|referans|ilgili|kontrol listesi|sorun giderme|hata|şablon|entegrasyon|ne zaman|soru|neden|kriter|kritik akış|önkoşul|kurulum|hızlı başlangıç',
    'melhores práticas|boas práticas|exemplo|princípio|regra|diretriz|dicas?(?![a-z])|observaç|notas?(?![a-z])|referência|relacionad|antipadr|lista de verificação|solução de problemas|erros|formato|modelo|integraç|quando|perguntas|critério|fluxos críticos|pré-requisito|instalação|início rápido',
  ].join('|'),
  [
    'ベストプラクティス|例(?:[:：]|$)|使用例|実例|サンプル|原則|ルール|規則|ガイドライン|ガードレール|ヒント|注意|参考|関連|落とし穴|アンチパターン|エッジケース|チェックリスト|トラブルシューティング|エラー|障害|フォーマット|形式|テンプレート|契約|統合|哲学|意思決定|フレームワーク|なぜ|タイミング|質問|改善|変化|進化|重要フロー|基準|指標|連携|前提条件|インストール|クイックスタート',
    '最佳实践|最佳實務|最佳實踐|示例|范例|範例|例子|原则|原則|规则|規則|准则|準則|指南|提示|注意事项|备注|備註|参考|參考|相关|相關|陷阱|反模式|边缘案例|边缘情况|邊緣|边界情况|检查清单|檢查清單|清单|故障排除|疑难解答|错误|錯誤|格式|模板|契约|约定|集成|整合|理念|决策|决定框架|为什么|何时|何時|时机|時機|问题|增强|转变|演进|演進|关键流程|标准|標準|指标|指標|约束|先决条件|前提|安装|安裝|快速开始|快速開始|快速入门|设置指南',
    '모범 사례|예시|예제|원칙|규칙|가이드라인|지침|팁|참고|관련|안티패턴|체크리스트|엣지 케이스|문제 해결|오류|형식|템플릿|통합|시점|질문|기준|개선|중요 사항|전제 조건|설치|빠른 시작',
  ].join('|'),
)

/** These hold unless the same line speaks of a procedure. */
const DESCRIBES = words(
  [
    'outputs?|inputs?|contracts?|structures?|architecture|types?|kinds?|categories|components?|modules?|tools?|commands?|options?|flags?|arguments?|parameters?',
    'checklists?|decision trees?|core patterns?|patterns|strateg(?:y|ies)|tactics?|techniques?|heuristics?|standards?|requirements?|priorit(?:y|ies)|hierarchy|precedence|levels?|layers?|tiers?',
    'areas?|domains?|dimensions?|characteristics|metrics?|scoring|rubrics?|thresholds?|severity|overview|summary|background|context|scope|role|goals?|objectives?|deliverables?|benefits?|advantages',
    'configuration|customization|environment|definitions?|terminology|schemas?|fields?|sections?|topics?|sources?|signals?|ways|methods?|approaches|alternatives|variants?|variations?|scenarios?|use cases?',
    'desired|required|what (?:you receive|gets|not)|what it (?:does not|removes)|voice|style|tone|scripts?|hooks?|agents?|findings?|guarantees?|trade-?offs?|buckets|items|things|reasons',
  ].join('|'),
  [
    'mimari|bileşen|modül|kategori|tür(?:ler)?i|yapı(?:sı)?|strateji|öncelik|gereksinim|seçenek|girdi|çıktı|genel bakış|desen|kalıp',
    'arquitetura|componente|módulo|categoria|tipos|estrutura|estratégia|prioridade|requisito|opç|entrada|saída|visão geral|padrões',
  ].join('|'),
  [
    'アーキテクチャ|コンポーネント|モジュール|カテゴリ|種類|タイプ|構造|構成|戦略|コアパターン|パターン|優先順|優先度|要件|コマンド|ツール|オプション|入力|出力|返却|概要|スクリプト|フック|ドメイン|モデル|レイヤー|層',
    '架构|架構|组件|元件|模块|模組|类型|類型|类别|類別|结构|結構|策略|核心模式|优先级|優先級|优先顺序|優先順|优先事项|要求|偵測|命令行|工具|选项|選項|输入|輸入|输出|輸出|返回|概述|概览|脚本|腳本|钩子|配置|检测|检查内容|以下方式|以下の方法|类目|层级',
    '아키텍처|컴포넌트|구성 요소|모듈|카테고리|유형|구조|전략|우선순위|요구 사항|도구|옵션|입력|출력|개요|스크립트|훅|패턴',
  ].join('|'),
)

/** A case, a mode or one of several ways. */
const CASE = words(
  [
    'if|when|whenever|unless|in case|for (?:an?|the|each kind|questions|bugs|simple|complex|large|small|existing|new)|modes?|option [a-z\\d]|case [a-z\\d]|path [a-z\\d]|route [a-z\\d]|variant [a-z\\d]|method [a-z\\d]|scenario [a-z\\d]|approach [a-z\\d]|no arguments|without arguments|with arguments|to (?:use|add|remove|enable|disable)|example offers|resum(?:e|ing)|recovery|alternative(?:ly)?|quick|manual|--[a-z][\\w-]*',
  ].join('|'),
  'eğer|modu|se |caso|modo|ao [a-z]+r |\\S{1,30}(?:ırken|irken|urken|ürken|arken|erken|diğinde|dığında)\\s*[:：]?$',
  '場合|とき[はに、：:]|時[はに、：:]|する際|モード|ルート [A-Z]|如果|若|当.{0,40}时|當.{0,40}時|.{1,12}时[:：]|模式\\s?\\d|경우|할 때|모드',
)

/** Called at the start of each use, so no case at all. */
const INVOKED =
  /\b(?:invoked|called|triggered|activated|spawned|this (?:skill|command)|user (?:runs|invokes|provides|types)|following (?:steps|sequence|order|process))\b|呼び出|実行すると|以下の手順|次の手順|以下步骤|以下流程|[按依].{0,8}[顺順]序|順番に|順に|in (?:(?:this|the|exact|following) ){1,3}order|sırayla|nesta ordem|调用(?:此|该|本)/iu

/** Words of a procedure, with how sure they are. */
const PLANS: readonly (readonly [sure: 1 | 2 | 3, Words])[] = [
  [
    3,
    words(
      'workflows?|steps?|process|procedures?|instructions?|phases?|stages?|pipeline|protocol|playbook|runbook|sequence|execution|flow|loop|cycle|spine|to-?do|task list|your tasks?|(?:complete|execute|follow|perform|do|work through)[a-z ]{0,40} in (?:(?:this|the|exact|following) ){0,3}(?:order|sequence)|how to proceed|do the following|walkthrough|routine|lifecycle|run order|algorithm',
      [
        'iş akışı|adımlar|süreç|talimatlar|aşama|yapılacaklar|döngü|akış',
        'fluxo|passos|etapas|processo|procedimento|instruções|ciclo|o que fazer',
      ].join('|'),
      [
        'ワークフロー|手順|ステップ|プロセス|フェーズ|流れ|フロー$|フロー[（(]|サイクル|ループ|実行内容|操作手順|パイプライン|タスク$|実行順序',
        '工作流|流程|步骤|步驟|阶段|階段|循环|循環|流水线|执行顺序|操作方法|执行$|执行过程',
        '워크플로우?|단계|절차|프로세스|흐름|지시사항|실행$|순서|사이클',
      ].join('|'),
    ),
  ],
  [
    1,
    words(
      'what (?:this|the) (?:command|skill)[a-z ]{0,20}|what (?:it|i|we) (?:does|do)',
      '(?:bu )?komut ne yapar|o que este comando faz',
      'コマンドの動作|コマンドの機能|動作内容|命令的作用|命令的功能|命令功能|指令的功能|커맨드가 하는|功能$|作用$',
    ),
  ],
  [
    2,
    words(
      'how (?:it|this|to|the)[a-z ]{0,30}|how|operation|operating|what to do|what you do|usage|run|implementation|do|action|actions|activation',
      'nasıl çalışır|uygulama|como funciona|como usar',
      '仕組み|動作方法|動作原理|動作の仕組み|運用方法|運作方式|运作方式|工作原理|工作方式|作動|実行方法|使い方|使用方法|動作|实现|작동 방식|동작 방식|사용법',
    ),
  ],
]

/** A program, whose steps the agent does not take. */
const PROGRAM = /\b(?:script|hook|server|router)s?\b|スクリプト|フック|脚本|腳本|钩子|스크립트|훅/iu

/** Reads the line above a list; only its last words say what the items are. */
export function leadVerdict(lead: string): Verdict | undefined {
  if (lead === '') return undefined
  if (PROGRAM.test(lead)) return { kind: 'no', sure: 3 }
  const verdict = verdictOf(lead)
  if (verdict?.kind !== 'no') return verdict
  const last = /(?:[^\s]+\s+){0,2}[^\s]{0,12}$/u.exec(lead.slice(-40))?.[0] ?? ''
  const tail = verdictOf(/\p{Script=Han}|\p{Script=Hangul}/u.test(lead) ? lead.slice(-8) : last)
  return tail ?? (INVOKED.test(lead) ? { kind: 'plan', sure: 2, word: 'invoked' } : undefined)
}

/** Reads a heading or a line above a list; most say nothing. */
export function verdictOf(text: string): Verdict | undefined {
  if (NEVER.test(text)) return { kind: 'no', sure: 3 }
  for (const [sure, pattern] of PLANS) {
    const found = pattern.find(text)
    if (found !== undefined)
      return CASE.test(text) && !INVOKED.test(text)
        ? { kind: 'case' }
        : sure === 2 && DESCRIBES.test(text)
          ? { kind: 'no', sure: 1 }
          : { kind: 'plan', sure, word: found.toLowerCase().replace(/s$/, '') }
  }
  if (INVOKED.test(text)) return { kind: 'plan', sure: 2, word: 'invoked' }
  if (CASE.test(text)) return { kind: 'case' }
  return DESCRIBES.test(text) ? { kind: 'no', sure: 1 } : undefined
}

const GENERIC =
  /(?<!\p{L})(?:the|core|main|your|standard|default|basic|general|overall|full|primary|our|a|to|follow|ana|temel)(?!\p{L})|核心|コア|主要|基本|标准|標準|操作|工作|執行|执行/giu

/** Whether a heading names the procedure and nothing else, such as "Core workflow". */
export function namesOnlyPlan(text: string): boolean {
  let rest = text
  for (let round = 0; round < 4; round++)
    for (const [, pattern] of PLANS) rest = rest.replace(pattern.find(rest) ?? '', '')
  return verdictOf(text)?.kind === 'plan' && !/\p{L}{2,}/u.test(rest.replaceAll(GENERIC, ''))
}
