import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Config } from '../../model/config.ts'
import { SHIPPED_MODES } from '../../model/shipped-modes.ts'
import { call as callMethod } from '../call/call.ts'
import { type Answer, type World, writeFiles } from '../world.contract.ts'
import { type ClientAt, clientAt, contextOf } from './client.contract.ts'
import { surveyAt } from './survey.contract.ts'

const STEP = (more: string) => `---\n${more}\n---\n`

/** A skill that does less in quick mode. */
const SHIP = {
  'SKILL.md': '---\nname: ship\ndescription: Ships.\n---\n\nRead the steps.\n',
  'steps/look.md': STEP('consumes: [user-request]\nproduces: [view]'),
  'steps/deep.md': STEP('consumes: [view]\nproduces: [depth]\nonly: full'),
  'steps/brief.md': STEP('consumes: [view]\nproduces: [note]\nonly: quick'),
}

/** A mode changes the texts and the steps that are due, and the effort keeps it. */
export function modesContract(world: () => World): void {
  const begun = async () => {
    const it = await clientAt(world())
    await it.add('ship', SHIP)
    await it.start()
    const state = async () =>
      (await it.efforts()).map(({ mode, request, metadata }) => [
        mode,
        request,
        JSON.parse(metadata ?? '{}').modes ?? [],
      ])
    const read = async (step: string) =>
      (await it.read(join(it.project, `.claude/skills/ship/steps/${step}.md`))).decision
    return { ...it, state, readStep: read }
  }
  /** The same client with other settings. */
  const saying =
    ({ session, project }: ClientAt, config: Config) =>
    async (text: string) => {
      const context = { ...world().context, config: () => config }
      const caller = { notify: () => Promise.resolve(), gone: new AbortController().signal }
      const payload = { session_id: session, cwd: project, hook_event_name: 'UserPromptSubmit', prompt: text }
      return (await callMethod(context, 'hooks.handle', { client: 'claude-code', payload }, caller)) as Answer
    }

  describe('a mode', () => {
    test.each(SHIPPED_MODES)(
      '$name is told, kept by the effort, and told again after a compaction',
      async (mode) => {
        const it = await begun()
        const said = contextOf(await it.prompt(`/ship a login page #${mode.tag}`))
        expect(said).toContain(mode.text)
        expect(await it.state()).toEqual([[mode.steps ?? 'full', 'a login page', [mode.tag]]])
        expect(contextOf(await it.start('compact'))).toContain(mode.text)
        const { efforts } = await world().call('db.project.status', { path: it.project })
        expect(efforts[0].metadata.modes).toEqual([mode.tag])
      },
    )

    test.each([
      ['', 'deep'],
      ['#qheavy', 'deep'],
      ['#qlight', 'brief'],
      ['-', 'brief'],
    ])('decides which steps of the plan are due: %j', async (words, step) => {
      const it = await begun()
      expect(contextOf(await it.prompt(`/ship ${words}`))).toContain(`Steps: look, ${step}.`)
      await it.readStep('look')
      expect(await it.readStep(step)).toBe('allow')
    })

    test('of an expanded call is told once, with its prompt', async () => {
      const it = await begun()
      const expanded = await it.fire('UserPromptExpansion', {
        expansion_type: 'slash_command',
        command_name: 'ship',
        command_args: 'a page #ver',
        prompt: '/ship a page #ver',
      })
      const said = await it.prompt('/ship a page #ver')
      const ver = SHIPPED_MODES.find(({ tag }) => tag === 'ver')
      expect(contextOf(expanded)).not.toContain(ver?.text)
      expect(contextOf(said)).toContain(ver?.text)
      expect(await it.state()).toEqual([['full', 'a page', ['ver']]])
    })

    test('is no part of what was asked, so the same words go on with the same effort', async () => {
      const it = await begun()
      await it.prompt('/ship a page #ver')
      await it.prompt('/ship a page #pref')
      await it.prompt('/ship a page')
      expect(await it.state()).toEqual([['full', 'a page', ['pref']]])
    })

    test('leaves the steps of an effort that goes on, and says so', async () => {
      const it = await begun()
      await it.prompt('/ship - a page')
      expect(contextOf(await it.prompt('/ship a page #qheavy'))).toContain('stay those of quick mode')
      expect(await it.state()).toEqual([['quick', 'a page', ['qheavy']]])
    })

    test('overrides the hyphen of a call', async () => {
      const it = await begun()
      await it.prompt('/ship - a page #qheavy')
      expect(await it.state()).toEqual([['full', 'a page', ['qheavy']]])
    })

    test('of a plain prompt applies to that prompt only', async () => {
      const it = await begun()
      await it.prompt('/ship a page')
      expect(contextOf(await it.prompt('Is it done? #ver'))).toContain('until your answer')
      expect(await it.state()).toEqual([['full', 'a page', []]])
    })

    test('of the user and the project comes from the config, and can be switched off', async () => {
      const it = await begun()
      const own = {
        modes: { sec: { tag: 'sec', name: 'security', kind: 'action', text: 'Look for holes.' } },
      } as const
      const say = saying(it, { own })
      expect(contextOf(await say('Check it #sec #ver'))).toMatch(
        /- security \(#sec\): Look for holes\.\n- verify/,
      )
      expect(contextOf(await saying(it, { own: { modes: { ver: 'off' } } })('Check it #ver'))).toBe('')
      expect(contextOf(await saying(it, { modes: 'off' })('/ship a page #ver'))).not.toContain('mode set')
      expect(await it.state()).toEqual([['full', 'a page #ver', []]])
    })

    test('is not told at the level observe', async () => {
      const it = await begun()
      await world().call('db.project.setLevel', { path: it.project, level: 'observe' })
      expect(contextOf(await it.prompt('/ship a page #ver'))).toBe('')
    })

    test('reaches the sub-agent that a skill forks to, and not the main thread', async () => {
      const it = await surveyAt(world())
      const told = await it.slash('/survey the attic #ver #qlight', 'p1')
      expect(told.map(contextOf).join('')).not.toContain('modes set')
      const started = contextOf(await it.startAgent('a1', 'p1'))
      expect(started).toMatch(/modes set, in this order:\n- verify/)
      const [survey] = await it.efforts()
      expect(survey).toMatchObject({ request: 'the attic', mode: 'quick' })
    })

    test('names the folder of a run by the words alone', async () => {
      const it = await begun()
      const head = '---\nname: runs\ndescription: Runs.\nuses_skill_run: true\n---\n\nDo it.\n'
      await writeFiles({ 'SKILL.md': head }, join(it.project, '.claude/skills/runs'))
      expect(contextOf(await it.prompt('/runs the attic #ver'))).toMatch(/the-attic(?!-ver)/)
    })
  })
}
