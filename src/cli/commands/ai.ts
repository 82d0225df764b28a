import type { AiSetup } from '../../model/ai.ts'
import { counted } from '../../model/text/line.ts'
import { EngineError } from '../../model/error.ts'
import { Remote } from '../daemon/remote.ts'
import { findHome } from '../../daemon/home.ts'
import type { Command } from '../frame/command.ts'
import { cell } from '../frame/print.ts'
import { printResult } from '../frame/show.ts'

interface Status {
  readonly embed: AiSetup
  readonly generate: AiSetup
}

export const aiStatus: Command = {
  name: 'ai status',
  summary: 'Show which models search and summaries use, and whether each has its key. Sends nothing.',
  usage: '',
  flags: {},
  async run(io) {
    using remote = new Remote(io)
    const status = await remote.call<Status>('ai.status', { path: io.cwd })
    const { keys } = findHome(io.env)
    printResult(io, { ...status, keys }, () =>
      [...linesOf('embed', status.embed, keys), ...linesOf('generate', status.generate, keys)].join('\n'),
    )
    return 0
  },
}

/** What an error elsewhere says leads here. */
const OWN_NAME = 'holdfast ai status'

function linesOf(use: keyof Status, setup: AiSetup, keys: string): readonly string[] {
  const { model, url, variable, has_key: hasKey, problem, hint } = setup
  if (model === null) return [`${use}: no model. To set one: holdfast config set ai_${use} PROVIDER/MODEL`]
  const provider = model.slice(0, model.indexOf('/'))
  const at = url === null ? '' : ` at ${cell(url)}`
  const way = hasKey ? 'key found' : 'no key'
  return [
    `${use}: ${cell(model)}${at}, ${way}`,
    ...(problem === null
      ? []
      : [`  ${cell(problem)}`, ...(hint === null || hint === OWN_NAME ? [] : [`  ${hint}`])]),
    ...(hasKey || variable === null
      ? []
      : [
          `  A key comes from ${variable} in the environment of the daemon, or from a file with mode 600:`,
          `  (umask 077; mkdir -p ${keys}; cat > ${keys}/${provider})`,
        ]),
  ]
}

interface Tried {
  readonly use: keyof Status
  readonly ok: boolean
  readonly said: string
}

export const aiTest: Command = {
  name: 'ai test',
  summary:
    'Send a short text to each model of the config, and say what comes back. It may cost a fraction of a cent.',
  usage: '',
  flags: {},
  async run(io) {
    using remote = new Remote(io)
    const status = await remote.call<Status>('ai.status', { path: io.cwd })
    const tried = [
      ...(status.embed.model === null ? [] : [await tryOne('embed', () => embedOnce(remote, io.cwd))]),
      ...(status.generate.model === null
        ? []
        : [await tryOne('generate', () => generateOnce(remote, io.cwd))]),
    ]
    if (tried.length === 0)
      throw new EngineError('not-configured', 'The config names no model, so there is nothing to test.', {
        hint: 'holdfast ai status',
      })
    printResult(io, tried, () =>
      tried.map(({ use, ok, said }) => `${use}: ${ok ? 'ok' : 'failed'}, ${cell(said)}`).join('\n'),
    )
    return tried.every(({ ok }) => ok) ? 0 : 1
  },
}

async function tryOne(use: keyof Status, work: () => Promise<string>): Promise<Tried> {
  const started = performance.now()
  try {
    const said = await work()
    return { use, ok: true, said: `${said} in ${Math.round(performance.now() - started)} ms` }
  } catch (error) {
    if (error instanceof EngineError) return { use, ok: false, said: error.message }
    throw error
  }
}

async function embedOnce(remote: Remote, path: string): Promise<string> {
  const { dims } = await remote.call<{ dims: number }>('ai.embed', {
    texts: ['A test of Holdfast.'],
    kind: 'query',
    path,
  })
  return counted(dims, 'dimension')
}

async function generateOnce(remote: Remote, path: string): Promise<string> {
  const asked = { prompt: 'Answer with the word ok.', max_tokens: 500, path }
  const { text } = await remote.call<{ text: string }>('ai.generate', asked)
  return `it says ${JSON.stringify(text.slice(0, 60))}`
}
