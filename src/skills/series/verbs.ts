/** Verbs that begin instructions in English. */
const ENGLISH = new Set(
  `
  accept acknowledge act activate adapt add address adjust adopt advance aggregate agree align allow
  analyse analyze announce answer append apply approve archive ask assemble assess assign attach audit
  authenticate
  back backup batch begin benchmark bind block boot branch break brief bring browse build bump bundle
  calculate calibrate call capture categorize challenge change chart check checkout choose clarify
  classify clean clear clone close cluster code collapse collect combine commit communicate compare
  compile complete compose compress compute conclude conduct configure confirm connect consider
  consolidate construct consult continue convert copy correct count crawl create critique cross-check
  cross-reference cut
  debug decide declare decompose deduplicate deepen define delegate delete deliver demonstrate deploy
  derive describe design detect determine develop diagnose diff discard discover discuss dispatch display
  distill distribute divide do document download draft draw drill drive drop dry-run dump
  edit elaborate eliminate emit enable end enforce enrich ensure enter enumerate escalate establish
  estimate evaluate examine execute exercise exit expand explain explore export expose extend extract
  fail fetch file fill filter finalize find finish fix flag focus follow force form format formulate
  freeze fulfill
  gate gather generate get give go grade greet grep grill ground group guide
  halt hand handle help hide highlight hypothesize
  identify implement import improve include incorporate index infer inform initialize initiate inject
  inspect install integrate interview introduce inventory investigate invite invoke isolate issue iterate
  join judge
  keep
  label launch lead learn leave let link lint list listen load locate lock log look loop
  make manage map mark match measure merge migrate mine minimise minimize mock model modify monitor move
  name narrow navigate normalize note notify
  observe obtain offer open operate optimize order organize outline output overwrite
  package parse pass paste patch perform persist pick pin ping place plan point poll populate post prefer
  prepare present preserve preview print prioritize probe proceed process produce profile prompt propose
  provide prune publish pull push put
  query quote
  raise rank rate re-check re-read re-run read rebase rebuild recap receive recheck recommend reconcile
  record recover redact refactor refine refresh regenerate register reject release reload remove rename
  render reorganize repeat rephrase replace replay reply report reproduce request reread rerun research
  reset resolve respond restart restate restore restrict resume retrieve return reuse revert review revise
  rewrite roll rollback rotate route run
  sample sanitize save scaffold scan schedule score scout scrape screen search section seed select
  self-check send separate serve set setup shape share ship show shut sign simplify simulate size sketch
  skim skip snapshot solve sort spawn specify spin split spot squash stage start state stop store strip
  structure study submit subscribe substitute suggest summarise summarize surface swap switch sync
  synthesise synthesize
  tag tailor take talk target tear tell test tighten trace track train transform translate traverse treat
  triage trigger trim try tune turn
  understand undo uninstall unpack update upgrade upload use
  validate verify view visit
  wait walk warn watch wire work wrap write
  `
    .trim()
    .split(/\s+/),
)
/** Words before the verb. */
const BEFORE =
  /^(?:(?:first|then|next|finally|now|always|optionally|only|once|also|again|immediately|carefully|quickly|automatically|silently|briefly|please|you (?:must|should|will|run|execute)|must|lastly)[,\s]+){1,3}/i
/** Verbs and verbal nouns of the languages that skills are translated to. */
const CHINESE =
  /^(?:首先|然后|接着|最后|必须|始终|仅|先|再|请|自动|重新|并行|逐[步个一])?(?:分析|识别|識別|运行|執行|执行|检查|檢查|构建|建立|建置|使用|收集|创建|建立|读取|讀取|阅读|扫描|生成|產生|验证|驗證|确认|確認|确定|定义|定義|编写|撰寫|编辑|修复|修復|重构|重構|实现|實作|实施|选择|提取|抽取|计算|更新|添加|新增|删除|移除|剥离|替换|转换|转化|重写|改写|拆分|分解|合并|整合|汇总|总结|报告|報告|回報|输出|返回|提交|推送|发布|部署|安装|启动|启用|初始化|加载|载入|保存|存储|儲存|记录|列出|显示|展示|呈现|询问|提问|请求|等待|通知|调用|查询|查找|搜索|搜尋|获取|取得|拉取|抓取|下载|上传|比较|对比|匹配|过滤|排序|排名|评估|評估|评分|审查|審查|审计|测试|測試|模拟|监控|跟踪|追踪|捕获|擷取|解析|映射|分类|分類|规划|計劃|計画|調査|実装|検証|準備|実行|作成|设计|起草|打开|关闭|切换|设置|配置|应用|遵循|处理|锁定|冻结|扩展|优化|清理|标记|标注|标识|准备|应答|回答|重述|形成|通过|透過|根据|根據|按照|依|按|立即|接收|利用|协商|隔离|调查|掃描|計算|只|如果|研究|探索|发现|界定|明确|开始|从|将|把|为|向|对|在)/u
const JAPANESE =
  /(?:する|ます|せる|える|ける|げる|める|れる|てる|べる|ねる|る|う|く|す|つ|ぬ|ぶ|む|ぐ|実行|確認|生成|作成|分析|特定|検証|検出|更新|追加|削除|取得|収集|選択|定義|設計|実装|修正|報告|評価|測定|比較|抽出|解析|整理|分類|保存|記録|提案|提示|決定|計画|調査|開始|終了|登録|解決|表示|監視|変換|翻訳|出力|レビュー|スキャン|リファクタリング|テスト|ビルド|コミット|チェック|実施|適用|準備|統合|起動|設定)$/u
const KOREAN =
  /(?:기|니다|하세요|합니다|한다|십시오|세요|실행|확인|생성|작성|분석|식별|검증|수정|보고|정의|구현|리팩토링|검사|추출|평가|저장|업데이트|선택|비교|제안|테스트|리뷰|스캔)$/u
const TURKISH =
  /(?:ın|in|un|ün|ştır|ştur|ştür|dır|dir|tır|tir|la|le|oku|yaz|bul|yap|et|seç|sor|göster|üret|çıkar|incele|ver|al|aç|kapat|bekle|gönder|getir|topla|ölç|düzelt|oluştur|çalıştır|kontrolü|taraması|incelemesi)$/iu
const PORTUGUESE =
  /^(?:\p{L}{2,}(?:ar|er|ir)|execute|gere|leia|verifique|identifique|analise|crie|use|rode|corrija|valide|escreva|defina|atualize|relate|crie|obtenha|bloqueie|compare|reporte|registre|informe|para cada|peça|colete|liste|busque|aplique|salve|remova|adicione|confirme|revise|pergunte|mostre|carregue|faça|implemente|refatore)(?!\p{L})/iu

/** The verbs of other languages, each with the letters that give the language away. */
const OTHERS: readonly (readonly [letters: RegExp, verb: RegExp])[] = [
  [/[ぁ-んァ-ン]/u, JAPANESE],
  [/\p{Script=Han}/u, CHINESE],
  [/\p{Script=Hangul}/u, KOREAN],
  [/[ğışİ]/u, TURKISH],
  [/[ãõçáéíóúâêô]/iu, PORTUGUESE],
]

/** Whether a title tells to do something. */
function isInstruction(title: string, verb: RegExp | undefined): boolean {
  const text = title.replace(/^[^\p{L}]+/u, '').replace(BEFORE, '')
  const [first = ''] = /^[\p{L}-]+/u.exec(text) ?? []
  if (ENGLISH.has(first.toLowerCase())) return true
  return verb?.test((text.split(/[—–:：。(（;；→]|\.(?:\s|$)|\s-\s/u)[0] ?? '').trim()) === true
}

/** Whether a title tells what somebody does: "Runs a search", "The user picks one". */
function isDescription(title: string): boolean {
  const heads =
    title
      .slice(0, 60)
      .toLowerCase()
      .match(/[a-z]+/g)
      ?.slice(0, 4) ?? []
  if (ENGLISH.has(heads[0] ?? '')) return false
  return heads.some(
    (word) => word.endsWith('s') && (ENGLISH.has(word.slice(0, -1)) || ENGLISH.has(word.slice(0, -2))),
  )
}

/** Whether the titles tell about a program or a user, or all about the same thing: then they are no steps. */
export function areDescriptions(titles: readonly string[]): boolean {
  const subjects = titles.map((title) => /^(?:\p{Script=Han}{2}|[\p{L}']+)/u.exec(title)?.[0] ?? '')
  const same = [...Map.groupBy(subjects, (word) => word)]
    .filter(([word, { length }]) => length > 1 && isSubject(word))
    .reduce((most, [, { length }]) => Math.max(most, length), 1)
  return Math.max(same - 1, titles.filter(isDescription).length) > titles.length / 2
}

/** A word that is no verb in any language. */
const isSubject = (word: string): boolean => word !== '' && shareOfInstructions([word]) === 0

/** The share of titles that are instructions, and not topics, parts or rules. */
export function shareOfInstructions(titles: readonly string[]): number {
  const [, verb] = OTHERS.find(([letters]) => titles.some((title) => letters.test(title))) ?? []
  return titles.filter((title) => isInstruction(title, verb)).length / Math.max(titles.length, 1)
}
