import { expect, test } from 'vitest'
import { RealClient } from './client.ts'
import { deny, HookRecorder } from './hook-recorder.ts'
import { use } from './model-server.ts'

const SKILL = `---
name: release
description: Cuts a release.
---

Cut the release $ARGUMENTS.
`

const EVENTS = ['UserPromptSubmit', 'UserPromptExpansion', 'PreToolUse', 'PostToolUse', 'Stop']

test('a skill that the user calls is expanded with its arguments, and no tool is called', async () => {
  await using client = await RealClient.start()
  await using hooks = await new HookRecorder().listen()
  client.write('.claude/skills/release/SKILL.md', SKILL)
  client.configure(hooks.settings(...EVENTS))

  await client.run('/release v1.2')

  expect(hooks.names()).toEqual(['UserPromptSubmit', 'UserPromptExpansion', 'Stop'])
  expect(hooks.events[0]).toMatchObject({ prompt: '/release v1.2' })
  expect(hooks.events[1]).toMatchObject({ command_name: 'release', command_args: 'v1.2' })
  const texts = client.model.last().lastUserText()
  expect(texts).toContain('<command-name>/release</command-name>')
  expect(texts).toContain('Cut the release v1.2.')
})

test('a skill that the model calls is a tool call, and its text follows the result', async () => {
  await using client = await RealClient.start()
  await using hooks = await new HookRecorder().listen()
  client.write('.claude/skills/release/SKILL.md', SKILL)
  client.configure(hooks.settings(...EVENTS))
  client.model.script('main', [use('Skill', { skill: 'release', args: 'v1.3' })])

  await client.run('Please release v1.3')

  expect(hooks.names()).toEqual(['UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'Stop'])
  expect(hooks.events[1]).toMatchObject({
    tool_name: 'Skill',
    tool_input: { skill: 'release', args: 'v1.3' },
  })
  expect(client.model.last().toolResults()).toEqual([
    { tool: 'Skill', isError: false, text: 'Launching skill: release' },
  ])
  expect(client.model.last().lastUserText()).toContain('Cut the release v1.3.')
})

test('the text of a refused skill never reaches the model', async () => {
  await using client = await RealClient.start()
  await using hooks = await new HookRecorder().listen()
  client.write('.claude/skills/release/SKILL.md', SKILL)
  client.configure(hooks.settings('PreToolUse'))
  hooks.reply = () => deny('finish the review first')
  client.model.script('main', [use('Skill', { skill: 'release', args: 'v1.3' })])

  await client.run('Please release v1.3')

  expect(client.model.last().toolResults()).toEqual([
    { tool: 'Skill', isError: true, text: expect.stringContaining('finish the review first') },
  ])
  expect(client.model.last().mentions('Cut the release')).toBe(false)
})
