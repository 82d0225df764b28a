import type { SandboxTrial } from '../../model/client-files.ts'
import { fieldsOf, listOf } from './fields.ts'

/** One headless run with the project's own settings; our hooks stay out, because nothing here is work. */
export const trial: SandboxTrial = {
  start: ({ url, folder }) => ({
    words: [
      'claude',
      '-p',
      'Run it.',
      '--output-format',
      'json',
      '--allowedTools',
      'Bash',
      '--settings',
      '{"disableAllHooks":true}',
    ],
    env: {
      CLAUDE_CONFIG_DIR: folder,
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: 'no-key',
      NO_PROXY: '127.0.0.1',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    },
  }),
  reply(body, command) {
    const isFirst = printedIn(body) === undefined && listOf(fieldsOf(parsed(body))['tools']).length > 0
    return isFirst
      ? streamed(
          { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} },
          { type: 'input_json_delta', partial_json: JSON.stringify({ command, description: 'Try it' }) },
        )
      : streamed({ type: 'text', text: '' }, { type: 'text_delta', text: 'Done.' })
  },
  printed: printedIn,
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** The result of the command, in the conversation that the client sends back. */
function printedIn(body: string): string | undefined {
  for (const message of listOf(fieldsOf(parsed(body))['messages']))
    for (const block of listOf(fieldsOf(message)['content'])) {
      const { type, content } = fieldsOf(block)
      if (type === 'tool_result') return typeof content === 'string' ? content : JSON.stringify(content)
    }
  return undefined
}

/** A message with one block, as the stream of events that the client expects. */
function streamed(block: Readonly<Record<string, unknown>>, delta: object): string {
  const usage = { input_tokens: 1, output_tokens: 1 }
  const about = { id: 'msg_1', type: 'message', role: 'assistant', model: 'trial', usage }
  const stop_reason = block['type'] === 'tool_use' ? 'tool_use' : 'end_turn'
  const events: readonly (readonly [string, object])[] = [
    ['message_start', { message: { ...about, content: [], stop_reason: null, stop_sequence: null } }],
    ['content_block_start', { index: 0, content_block: block }],
    ['content_block_delta', { index: 0, delta }],
    ['content_block_stop', { index: 0 }],
    ['message_delta', { delta: { stop_reason, stop_sequence: null }, usage }],
    ['message_stop', {}],
  ]
  return events
    .map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`)
    .join('')
}
