import { cutTo } from './text/kept.ts'

/** A kind of secret that is never stored in messages or in the index. */
export interface SecretPattern {
  readonly name: string
  /** What it finds, for people. */
  readonly what: string
  /** Linear in the length of the text. With a group `secret`, only that part is masked. */
  readonly pattern: RegExp
  /** Refuses what only looks like one. */
  readonly isSecret?: (secret: string, name: string) => boolean
}

/** Names and words have few digits; keys are random. */
const isRandom = (text: string): boolean => /\d/.test(text) && /[A-Za-z]/.test(text)

/** A value that stands for a secret, or code that reads one. */
const STANDS_FOR_ONE =
  /^(?:[$<{([*]|process\.env|os\.environ|env\.|null$|none$|true$|false$|undefined$|required$|optional$|your[-_]|my[-_]|example|changeme|placeholder|redacted|masked|xxx|\.\.\.)/i

/** In capitals it is a line of an environment file; elsewhere only a random value counts. */
const isValue = (value: string, name: string): boolean =>
  !STANDS_FOR_ONE.test(value) &&
  (/^[A-Z][A-Z0-9_]+$/.test(name)
    ? !/^\d{1,5}$/.test(value)
    : value.length >= 8 && isRandom(firstWord(value)) && !/[(){}[\]]/.test(value))

/** Of a sentence in quotes, the first word tells whether it is a secret. */
const firstWord = (text: string): string => /^\S*/.exec(text)?.[0] ?? ''

const end = '(?![A-Za-z0-9_-])'

const token = (name: string, what: string, source: string, needsDigit = false): SecretPattern => ({
  name,
  what,
  pattern: new RegExp(`(?<![A-Za-z0-9_-])(?:${source})${end}`, 'g'),
  ...(needsDigit && { isSecret: isRandom }),
})

const PEM = '[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----'

/** Every kind of secret, most telling first. The bounds keep each search linear. */
export const SECRETS: readonly SecretPattern[] = [
  {
    name: 'private-key',
    what: 'blocks of PEM and OpenPGP private keys, also if they are cut',
    pattern: new RegExp(
      `-----BEGIN ${PEM}(?:(?:[^-]|-(?!----)){0,20000}-----END ${PEM}|(?:(?:\\s|\\\\[rn]){1,8}[A-Za-z0-9+/=]{16,})*)`,
      'g',
    ),
  },
  token('anthropic-key', 'keys of Anthropic', 'sk-ant-[A-Za-z0-9_-]{20,200}'),
  token(
    'openai-key',
    'keys of OpenAI and of services that copy their form',
    'sk-[A-Za-z0-9_-]{20,250}',
    true,
  ),
  token('aws-key', 'access key ids of AWS', '(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{16}'),
  token('github-token', 'tokens of GitHub', 'gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255}'),
  token('gitlab-token', 'tokens of GitLab', 'gl(?:pat|dt|rt|cbt|ptt)-[A-Za-z0-9_-]{20,100}'),
  token(
    'google-key',
    'keys and tokens of Google',
    'AIza[A-Za-z0-9_-]{35}|ya29\\.[A-Za-z0-9_-]{20,300}|GOCSPX-[A-Za-z0-9_-]{20,60}',
  ),
  token(
    'slack-token',
    'tokens of Slack',
    'xox[abeoprs]-[A-Za-z0-9-]{10,250}|xapp-[0-9]-[A-Za-z0-9-]{10,250}',
  ),
  {
    name: 'webhook',
    what: 'addresses of webhooks of Slack and Discord',
    pattern:
      /(?<=hooks\.slack\.com\/(?:services|workflows)\/|discord(?:app)?\.com\/api\/webhooks\/)[A-Za-z0-9_/-]{20,200}/g,
  },
  token('stripe-key', 'keys of Stripe', '[srp]k_(?:live|test)_[A-Za-z0-9]{16,200}|whsec_[A-Za-z0-9]{20,100}'),
  token('npm-token', 'tokens of npm', 'npm_[A-Za-z0-9]{36}'),
  token('pypi-token', 'tokens of PyPI', 'pypi-[A-Za-z0-9_-]{50,300}'),
  token('sendgrid-key', 'keys of SendGrid', 'SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{32,64}'),
  token('twilio-key', 'keys of Twilio', 'SK[0-9a-f]{32}'),
  token('telegram-token', 'tokens of Telegram bots', '[0-9]{8,10}:AA[A-Za-z0-9_-]{33}'),
  token(
    'vendor-key',
    'keys of Hugging Face, Groq, xAI, Perplexity, Replicate, Voyage, DigitalOcean, Shopify, Databricks, Linear, Doppler, Fly and Vault',
    'hf_[A-Za-z0-9]{30,60}|gsk_[A-Za-z0-9]{40,60}|xai-[A-Za-z0-9]{40,100}|pplx-[A-Za-z0-9]{40,60}|r8_[A-Za-z0-9]{30,50}|pa-[A-Za-z0-9_-]{40,60}|do[opr]_v1_[a-f0-9]{64}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}|dapi[a-f0-9]{32}|lin_api_[A-Za-z0-9]{32,60}|dp\\.(?:pt|st|ct)\\.[A-Za-z0-9]{40,60}|FlyV1 [A-Za-z0-9_,/+=-]{40,500}|hv[sb]\\.[A-Za-z0-9_-]{24,300}',
  ),
  token(
    'jwt',
    'JSON web tokens',
    'eyJ[A-Za-z0-9_-]{8,4000}\\.eyJ[A-Za-z0-9_-]{4,8000}\\.[A-Za-z0-9_-]{0,2000}',
  ),
  {
    name: 'bearer',
    what: 'tokens after Bearer, Basic or Token',
    pattern: /\b(?:bearer|basic|token)[ \t]{1,4}(?<secret>[A-Za-z0-9._~+/-]{16,4000}={0,2})/gi,
    isSecret: isRandom,
  },
  {
    name: 'url-password',
    what: 'passwords in URLs',
    pattern: /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s:@/]{0,100}:(?<secret>[^\s@/]{1,200})@/gi,
    isSecret: (secret) => !/^[$<{[*]/.test(secret),
  },
  {
    name: 'connection-string',
    what: 'keys and passwords in connection strings',
    pattern: /\b(?:AccountKey|SharedAccessKey|Password|Pwd)=(?<secret>[^\s;"']{4,300})(?=;)/gi,
    isSecret: (secret) => !STANDS_FOR_ONE.test(secret),
  },
  {
    name: 'value',
    what: 'values of names with secret, token, password, passphrase, credential or key, as in .env files',
    pattern:
      /(?<![A-Za-z0-9_])(?<name>[A-Za-z0-9_.-]{0,60}(?:secret|token|passw(?:or)?d|passphrase|pwd|credential|(?:api|access|private|auth|encryption|signing|account|service)[_-]?key)s?[A-Za-z0-9_]{0,40})["']?[ \t]{0,5}(?:=|:|=>)[ \t]{0,5}["']?(?<secret>(?<=")[^"\n]{4,500}(?=")|(?<=')[^'\n]{4,500}(?=')|[^\s"',;]{4,500})/gi,
    isSecret: isValue,
  },
  {
    name: 'argument',
    what: 'passwords in arguments, such as `curl -u` and `mysql -p`',
    pattern:
      /(?:\bcurl\b[^\n|;&]{0,300}?\s(?:-u|--user)[ =]?["']?[^\s:"'-][^\s:"']{0,100}:|\bmysql(?:dump|admin)?\b[^\n|;&]{0,300}?\s-p)(?<secret>[^\s"']{4,200})/gi,
    isSecret: (secret) => !STANDS_FOR_ONE.test(secret),
  },
]

/** What stands in the place of a secret. */
const maskOf = (name: string, secret: string): string =>
  `[masked: ${name}]${'\n'.repeat(secret.split('\n').length - 1)}`

/** A text without its secrets; its lines stay where they are. Pure, in linear time. */
export function masked(text: string): string {
  let result = text
  for (const { name, pattern, isSecret } of SECRETS)
    result = result.replace(pattern, (found: string, ...rest: unknown[]) => {
      const groups = rest.at(-1) as { secret?: string; name?: string } | string
      const [secret, of] =
        typeof groups === 'string' ? [found, ''] : [groups.secret ?? found, groups.name ?? '']
      if (secret.startsWith('[masked:') || isSecret?.(secret, of) === false) return found
      const at = found.lastIndexOf(secret)
      return found.slice(0, at) + maskOf(name, secret) + found.slice(at + secret.length)
    })
  return result
}

/** The longest usual key, so that a cut does not leave the half of one. */
const MARGIN = 4000

/** The beginning of a text without its secrets. */
export function maskedTo(text: string, limit: number): string {
  return text.length <= limit
    ? cutTo(masked(text), limit)
    : cutTo(masked(text.slice(0, limit + MARGIN)), limit, text.length)
}
