import { EngineError } from '../../model/error.ts'
import { nearest } from '../../model/text/nearest.ts'
import { Remote } from '../daemon/remote.ts'
import type { Command } from '../frame/command.ts'
import { withCaller } from '../frame/caller.ts'
import { readValue, usage } from '../frame/io.ts'
import { findMethod, methods } from '../frame/methods.ts'
import { printResult } from '../frame/show.ts'
import { pairs } from '../frame/table.ts'

export const rpc: Command = {
  name: 'rpc',
  summary: 'Call any method of the daemon and print its JSON result.',
  usage: '[METHOD] [JSON|@file|-]',
  flags: {
    list: { kind: 'switch', summary: 'list all methods' },
    describe: { kind: 'switch', summary: 'show the parameters of METHOD as JSON Schema' },
  },
  examples: [
    'holdfast rpc --list',
    'holdfast rpc --describe db.effort.start',
    `holdfast rpc db.task.list '{"active":true}'`,
    'holdfast rpc db.skills.upsert @skill.json',
  ],
  async run(io, { positionals, switches }) {
    const [name, text = '{}'] = positionals
    if (switches.has('list')) {
      const rows = methods.map((method) => ({
        method: method.name,
        effect: method.effect,
        summary: method.summary,
      }))
      printResult(io, rows, () =>
        pairs(
          io,
          rows.map((row) => [row.method, row.summary] as const),
        ),
      )
      return 0
    }
    if (name === undefined)
      throw usage('rpc needs a METHOD, and its parameters as one JSON object.', 'holdfast rpc --list')
    if (switches.has('describe')) {
      io.out(JSON.stringify(findMethod(name) ?? unknown(name), null, 2))
      return 0
    }
    using remote = new Remote(io)
    const result = await remote.call(name, withCaller(io, name, toParams(readValue(text, io))))
    io.out(JSON.stringify(result, null, 2))
    return 0
  },
}

function toParams(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch (error) {
    throw usage(
      `The parameters are not JSON: ${error instanceof Error ? error.message : String(error)}.`,
      `holdfast rpc METHOD '{"name":"value"}'`,
    )
  }
  throw usage('The parameters must be a JSON object.', `holdfast rpc METHOD '{"name":"value"}'`)
}

function unknown(name: string): never {
  const meant = nearest(
    name,
    methods.map((method) => method.name),
  )
  throw new EngineError(
    'unknown-method',
    `Unknown method ${name}${meant.length === 0 ? '' : `; did you mean ${meant.join(' or ')}?`}`,
    {
      hint: 'holdfast rpc --list',
    },
  )
}
