import { describe, expect, test } from 'vitest'
import { masked, maskedTo, SECRETS } from './secrets.ts'

/** Each secret is put together here, so that no scanner takes this file for a leak. */
const a = (length: number): string => 'a1B2c3D4e5F6g7H8'.repeat(20).slice(0, length)
const hex = (length: number): string => '0123456789abcdef'.repeat(10).slice(0, length)
const base64 = `${'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEA'.repeat(2)}=`
const pem = (kind: string, body: string): string =>
  `-----BEGIN ${kind}PRIVATE KEY-----\n${body}\n-----END ${kind}PRIVATE KEY-----`

/** Secrets that must be masked, by the name of their kind. */
const TRUE: Readonly<Record<string, readonly string[]>> = {
  'private-key': [
    pem('', base64),
    pem('RSA ', `Proc-Type: 4,ENCRYPTED\n\n${base64}\n${base64}`),
    pem('OPENSSH ', base64),
    `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${base64}\n-----END PGP PRIVATE KEY BLOCK-----`,
    `-----BEGIN EC PRIVATE KEY-----\n${base64}\n${base64}`,
    `-----BEGIN PRIVATE KEY-----\\n${base64}\\n-----END PRIVATE KEY-----`,
  ],
  'anthropic-key': [`sk-ant-api03-${a(90)}-AA`],
  'openai-key': [`sk-${a(48)}`, `sk-proj-${a(60)}_${a(20)}`],
  'aws-key': [`AKIA${'ABCD1234'.repeat(2)}`, `ASIA${'EFGH5678'.repeat(2)}`],
  'github-token': [`ghp_${a(36)}`, `gho_${a(36)}`, `github_pat_${a(22)}_${a(59)}`],
  'gitlab-token': [`glpat-${a(20)}`],
  'google-key': [`AIza${a(35)}`, `ya29.${a(60)}`, `GOCSPX-${a(28)}`],
  'slack-token': [`xoxb-123456789012-123456789012-${a(24)}`, `xapp-1-A0-123-${a(30)}`],
  webhook: [`T0ABCDEF/B0ABCDEF/${a(24)}`],
  'stripe-key': [`sk_live_${a(24)}`, `rk_test_${a(24)}`, `whsec_${a(32)}`],
  'npm-token': [`npm_${a(36)}`],
  'pypi-token': [`pypi-AgEIcHlwaS5vcmc${a(60)}`],
  'sendgrid-key': [`SG.${a(22)}.${a(43)}`],
  'twilio-key': [`SK${hex(32)}`],
  'telegram-token': [`123456789:AA${a(33)}`],
  'vendor-key': [
    `hf_${a(34)}`,
    `gsk_${a(52)}`,
    `xai-${a(80)}`,
    `pplx-${a(48)}`,
    `r8_${a(37)}`,
    `dop_v1_${hex(64)}`,
    `shpat_${hex(32)}`,
    `dapi${hex(32)}`,
    `lin_api_${a(40)}`,
    `hvs.${a(90)}`,
  ],
  jwt: [`eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.${a(43)}`],
  bearer: [a(40), `${a(10)}.${a(10)}-${a(10)}==`],
  'url-password': ['hunter2', 'p%40ss:w0rd!', 'qz'],
  'connection-string': [`${a(86)}==`, 'correct horse'.replace(' ', '-')],
  argument: ['s3cretpw99', 'correct-horse'],
  value: ['hunter2-hunter2', a(32), 'correct-horse-9', `${a(20)}/${a(19)}`],
}

/** What stands around a secret of a kind that is known only by its place. */
const AROUND: Readonly<Record<string, (secret: string) => string>> = {
  webhook: (secret) => `https://hooks.slack.com/services/${secret}`,
  bearer: (secret) => `curl -H 'Authorization: Bearer ${secret}' localhost`,
  'url-password': (secret) => `postgres://ada:${secret}@db.example.com:5432/app`,
  'connection-string': (secret) => `Server=db;Password=${secret};Encrypt=yes`,
  argument: (secret) => `curl -s -u ada:${secret} localhost && mysql -h db -u ada -p${secret} app`,
  value: (secret) => `api_key: "${secret}"`,
}

describe('a secret is masked', () => {
  test.each(SECRETS.map(({ name }) => name))('%s', (name) => {
    const around = AROUND[name] ?? ((secret: string) => `Use ${secret} for it.`)
    const secrets = TRUE[name] ?? []
    expect(secrets.length).toBeGreaterThan(0)
    for (const secret of secrets) {
      const result = masked(around(secret))
      expect(result).toContain(`[masked: ${name}]`)
      expect(result).not.toContain(secret)
      expect(masked(result)).toBe(result)
    }
  })

  test.each([
    'DATABASE_PASSWORD=hunter2',
    'export STRIPE_SECRET=abcdef',
    'AWS_SECRET_ACCESS_KEY="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE"',
    'GITHUB_TOKEN: swordfish',
    '{"client_secret":"f3a9b2c4d5e6"}',
    "password = 'tr0ub4dor&3'",
    'my-service.auth-token=f3a9b2c4d5e6',
  ])('in a line such as %s', (line) => {
    expect(masked(line)).toContain('[masked: value]')
  })

  test.each(['DB_PASSWORD="correct horse battery"', "db_password: 'c0rrect horse battery'"])(
    'to the end of its quotes, as in %s',
    (line) => {
      expect(masked(line)).toContain('[masked: value]')
      expect(masked(line)).not.toMatch(/horse|battery/)
    },
  )

  test('in a text of several lines, which stay where they are', () => {
    const text = `first\n${pem('RSA ', base64)}\nA_TOKEN=swordfish\nlast`
    const lines = masked(text).split('\n')
    expect(lines).toHaveLength(text.split('\n').length)
    expect(lines.at(-2)).toBe('A_TOKEN=[masked: value]')
    expect(lines.at(-1)).toBe('last')
  })

  test('also where a text is cut', () => {
    const text = `${'word '.repeat(200)}ghp_${a(36)} ${'word '.repeat(2000)}`
    for (let limit = 1000; limit < 1060; limit++) expect(maskedTo(text, limit)).not.toContain('a1B2')
    expect(maskedTo(text, 1030)).toContain(`[cut: ${text.length} characters were too many]`)
    expect(maskedTo('short', 10)).toBe('short')
  })
})

test.each([
  'The token: it is read from the environment.',
  'const token = process.env.GITHUB_TOKEN',
  'password: string',
  'PASSWORD=${PASSWORD}',
  'API_KEY=<your key>',
  'MAX_TOKENS=4096',
  'tokens: 1200',
  'The password is required; a secret keeps the key: value pairs.',
  'function getToken(key: string): Promise<Secret>',
  'sk-learn and scikit-learn-contrib-something-long',
  'http://localhost:8080/a@b',
  'https://example.com/path?x=1',
  'ssh git@example.com:team/repo.git',
  'postgres://user:${PASSWORD}@host/db',
  'The bearer certificates-of-deposit were sold.',
  'a digest: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  'uuid 22222222-2222-4222-8222-222222222222',
  'AKIA is a prefix, and so are ghp_ and xoxb-.',
  'Begin with -----BEGIN CERTIFICATE-----',
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJ',
  'secret_santa: everybody',
  'keyboard: qwerty123',
  'docker run -u 1000:1000 -p 8080:80 image',
  '"password": "must have 8 characters"',
])('no secret: %s', (text) => {
  expect(masked(text)).toBe(text)
})

test('every kind takes linear time, also for what nearly looks like it', () => {
  const starts = [
    '-----BEGIN PRIVATE KEY-----\n',
    'eyJaaaaaaaaa.',
    'http://a:',
    'token=',
    'sk-',
    'Bearer ',
    'A_',
    'SG.a.',
  ]
  const cost = (length: number): number => {
    const from = process.threadCpuUsage().user
    for (const start of starts) masked(start.repeat(length / start.length))
    return process.threadCpuUsage().user - from
  }
  cost(20_000)
  // Quadratic time would make forty times the length take 1600 times as long.
  expect(cost(1_000_000) / Math.max(1000, cost(25_000))).toBeLessThan(400)
})
