import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { clients } from '../../clients/index.ts'
import { textsAt } from '../../files/skill-at.ts'
import { byUser, type ClientAt, clientAt, clientIn, contextOf, edited } from '../hook/client.contract.ts'
import { type Answer, failure, type Params, type World, writeFiles } from '../world.contract.ts'

const step = (id: string, next: string | null, more: object = {}) => ({
  id,
  title: `To ${id}`,
  next: { ok: next },
  ...more,
})
/** Two steps as the data that a module exports. */
const DATA = { name: 'tell', steps: [step('think', 'write'), step('write', null)] }
const MODULE = `export const workflow = ${JSON.stringify(DATA)}\n`
const SKILL = '---\nname: tell\ndescription: Tells.\n---\n\nRun holdfast step tell.\n'

const NOT_RUN = { code: 'refused', hint: 'holdfast skill trust tell' }

/** The files of a skill whose code nobody else has. */
function filesOf(world: World) {
  const own = `${MODULE}// ${world.name('code')}\n`
  return { 'SKILL.md': SKILL, 'workflow.ts': own }
}

const codeAt = async (folder: string): Promise<string> =>
  (await textsAt(folder, clients))?.code?.digest ?? 'none'

/** A skill with a workflow module, and the call that trusts it. */
export async function workflowAt(world: World, folder: string) {
  const name = world.name('tell')
  const own = join(folder, name)
  await writeFiles(filesOf(world), own)
  return { name, folder: own, code: await codeAt(own), exported: JSON.stringify(DATA) }
}

/** What is promised of skills with a workflow module: they are held to it only while the user trusts its code. */
export function trustContract(world: () => World): void {
  const call = (method: string, params: Params): Promise<Answer> => world().call(method, params)

  async function withTell(more: Readonly<Record<string, string>> = {}) {
    const files: Readonly<Record<string, string>> = { ...filesOf(world()), ...more }
    const it = await clientAt(world())
    await it.add('tell', files)
    await it.start()
    return { it, files, ...toolsFor(it) }
  }

  function toolsFor(it: ClientAt) {
    const folder = join(it.project, '.claude/skills/tell')
    const stored = async () => {
      const projects: readonly Answer[] = await world().call('db.project.list')
      const { id } = projects.find(({ path }) => path === it.project) ?? {}
      await call('agent.skills.list', { project_id: id })
      return await call('db.skills.get', { project_id: id, name: 'tell' })
    }
    const asked = async (data: object = DATA) => ({
      name: 'tell',
      folder,
      cwd: it.project,
      code: await codeAt(folder),
      exported: JSON.stringify(data),
    })
    const trust = async (data?: object) => await call('skill.trust', await asked(data))
    const untrust = async () => await call('skill.untrust', { name: 'tell', code: await codeAt(folder) })
    const file = (path: string) => join(folder, path)
    const edit = (path: string, text: string) => edited(world(), it, file(path), text)
    const entries = async (seq: number) =>
      (await world().since(seq)).filter(({ event_type: type }: Answer) => /^skill\.(un)?trusted$/.test(type))
    return { folder, stored, asked, trust, untrust, file, edit, entries }
  }

  describe('a skill with a workflow module', () => {
    test('has no plan until the user trusts its code, and from then on the exported one', async () => {
      const { stored, trust } = await withTell()
      expect(await stored()).toMatchObject({
        plan: null,
        details: { trust: 'untrusted' },
        diagnostics: [{ code: 'HF208', hint: expect.stringContaining('holdfast skill trust tell') }],
      })
      expect(await trust()).toMatchObject({ skill: 'tell', steps: 2, changed: true })
      expect(await stored()).toMatchObject({
        plan: { notation: 'workflow', steps: [{ id: 'think' }, { id: 'write' }] },
        details: { trust: 'trusted', enforceable: true },
        diagnostics: [],
      })
      expect(await trust()).toMatchObject({ changed: false })
    })

    test('is held to it by the next call, without any other command', async () => {
      const { it, trust } = await withTell()
      await trust()
      await it.prompt('/tell a story')
      const [effort] = await it.efforts()
      expect(await call('step.show', { effort_id: effort.id })).toMatchObject({
        steps: [{ step: 'think' }, { step: 'write' }],
      })
    })

    test.each([
      ['a byte of the module', 'workflow.ts', `${MODULE} `],
      ['code that it may import', 'lib/more.mjs', 'export const more = 1\n'],
    ])('is untrusted again once %s has changed, and trusted once it is as before', async (_, path, text) => {
      const { it, files, stored, trust, edit, file } = await withTell({
        'lib/more.mjs': 'export const more = 0\n',
      })
      await trust()
      await stored()
      await edit(path, text)
      expect(await stored()).toMatchObject({ plan: null, details: { trust: 'changed' } })
      expect(contextOf(await it.prompt('/tell a story'))).toContain('has changed since the user trusted it')
      const before = files[path] ?? ''
      await byUser(it.project, () => writeFiles({ [file(path)]: before }))
      expect(await stored()).toMatchObject({ plan: { steps: [{}, {}] }, details: { trust: 'trusted' } })
    })

    test('stays trusted if only its text, its types or a text beside it change', async () => {
      const { stored, trust, edit } = await withTell()
      await trust()
      await edit('SKILL.md', SKILL.replace('Tells.', 'Tells stories.'))
      await edit('types/holdfast-workflow.d.ts', 'export declare const step: unknown\n')
      await edit('notes.md', 'Notes\n')
      expect(await stored()).toMatchObject({ description: 'Tells stories.', details: { trust: 'trusted' } })
    })

    test('is trusted in every project that has the same code, and untrusted in all of them', async () => {
      const one = await withTell()
      const two = await withTell({ ...one.files, 'SKILL.md': SKILL.replace('Tells.', 'Tells too.') })
      const other = await withTell()
      await one.trust()
      expect(await two.stored()).toMatchObject({ details: { trust: 'trusted' } })
      expect(await other.stored()).toMatchObject({ details: { trust: 'untrusted' } })
      expect(await two.untrust()).toMatchObject({ changed: true })
      expect(await one.stored()).toMatchObject({ plan: null, details: { trust: 'untrusted' } })
      expect(await one.untrust()).toMatchObject({ changed: false })
    })

    test('tells agent and user once that a call is not held, and who can trust it', async () => {
      const { it, trust } = await withTell()
      const answer = await it.prompt('/tell a story')
      expect(contextOf(answer)).toContain('holdfast skill trust tell')
      expect(answer.reply.systemMessage).toContain('holdfast skill trust tell')
      expect(contextOf(await it.prompt('/tell a story'))).toBe('')
      await trust()
      const next = clientIn(world(), it.project)
      await next.start()
      expect(contextOf(await next.prompt('/tell a story'))).not.toContain('skill trust')
    })

    test('tells the ledger who was trusted with what', async () => {
      const { entries, trust, untrust, folder } = await withTell()
      const seq = await world().lastSeq()
      await trust()
      await trust()
      await untrust()
      const [trusted, untrusted, ...more] = await entries(seq)
      const digest = await codeAt(folder)
      expect(trusted).toMatchObject({
        event_type: 'skill.trusted',
        skill: 'tell',
        payload: { digest, steps: 2 },
      })
      expect(untrusted).toMatchObject({ event_type: 'skill.untrusted', payload: { digest } })
      expect(more).toEqual([])
    })
  })

  describe('an effort of a trusted workflow', () => {
    async function begun(data: object = DATA) {
      const found = await withTell()
      await found.trust(data)
      await found.it.prompt('/tell a story')
      const [{ id }] = (await found.it.efforts()) as [Answer]
      const shown = () => call('db.effort.get', { effort_id: id })
      const titles = async () =>
        (await call('step.show', { effort_id: id })).steps.map(({ title }: Answer) => title)
      return { ...found, id, shown, titles }
    }

    test('keeps its plan when the code changes, and its session hears how to go on', async () => {
      const { it, id, edit, shown, titles } = await begun()
      await edit('workflow.ts', `${MODULE} `)
      expect(await titles()).toEqual(['To think', 'To write'])
      expect((await shown()).plan_edit).toContain('holdfast skill trust tell')
      const told = contextOf(await it.prompt('Go on.'))
      expect(told).toContain(`Effort ${id} keeps the plan that it has.`)
      expect(await failure(call('db.effort.accept', { effort_id: id }))).toMatchObject({
        code: 'conflict',
        hint: 'holdfast skill trust tell',
      })
    })

    test('keeps its plan when the user stops trusting the code', async () => {
      const { untrust, stored, titles } = await begun()
      await untrust()
      expect(await stored()).toMatchObject({ plan: null })
      expect(await titles()).toEqual(['To think', 'To write'])
    })

    test('runs no command of changed code, until it is as before or the user trusts it', async () => {
      const data = {
        ...DATA,
        steps: [{ ...step('think', 'write'), run: 'sh think.sh' }, step('write', null)],
      }
      const { id, edit, file, trust } = await begun(data)
      const run = () => call('step.run', { effort_id: id, step: 'think' })
      await call('step.enter', { effort_id: id })
      await edit('think.sh', 'echo "{}"\n')
      expect(await failure(run())).toMatchObject(NOT_RUN)
      await rm(file('think.sh'))
      await run()
      await rm(file('workflow.ts'))
      expect(await failure(run())).toMatchObject(NOT_RUN)
      await writeFiles({ [file('workflow.ts')]: `${MODULE}// ${world().name('code')}` })
      await trust(data)
      expect(await run()).toMatchObject({ command: 'sh think.sh' })
    })

    test('runs no command of changed code in the workflow of a sub-agent either', async () => {
      const look = { name: 'look', steps: [{ ...step('see', null), run: 'sh see.sh' }] }
      const asking = { ...step('think', null), dispatch: { agent: 'explore', workflow: 'look' } }
      const { id, edit } = await begun({ name: 'tell', steps: [asking], workflows: { look } })
      await call('step.enter', { effort_id: id })
      const { effort_id } = await call('step.child', { effort_id: id, workflow: 'look', child: 1 })
      await call('step.enter', { effort_id })
      await edit('see.sh', 'echo "{}"\n')
      expect(await failure(call('step.run', { effort_id, step: 'see' }))).toMatchObject(NOT_RUN)
    })

    test('gets the plan of the changed code once the user trusts that', async () => {
      const { edit, trust, stored, shown, titles } = await begun()
      await edit('workflow.ts', `${MODULE} `)
      await trust({
        name: 'tell',
        steps: [step('think', 'read'), step('read', 'write'), step('write', null)],
      })
      await stored()
      expect(await titles()).toEqual(['To think', 'To read', 'To write'])
      expect((await shown()).plan_edit).toBeNull()
    })

    test('waits for the user to accept the plan if an agent changed the code', async () => {
      const { it, id, trust, stored, file, shown, titles } = await begun()
      await it.fire('PreToolUse', { tool_name: 'Bash', tool_input: { command: './x' }, tool_use_id: 'b' })
      await writeFiles({ [file('workflow.ts')]: `${MODULE} ` })
      await it.fire('PostToolUse', {
        tool_name: 'Bash',
        tool_input: { command: './x' },
        tool_use_id: 'b',
        tool_response: {},
      })
      await stored()
      await trust({ name: 'tell', steps: [step('write', null)] })
      await stored()
      expect(await titles()).toEqual(['To think', 'To write'])
      expect((await shown()).plan_edit).toContain(`holdfast effort accept ${id}`)
      await call('db.effort.accept', { effort_id: id })
      expect(await titles()).toEqual(['To write'])
    })
  })

  describe('trust is refused', () => {
    test('for code that is not in the folder now', async () => {
      const { trust, asked, edit, stored } = await withTell()
      const given = await asked()
      await edit('workflow.ts', `${MODULE}//`)
      expect(await failure(call('skill.trust', given))).toMatchObject({ code: 'conflict', field: 'code' })
      const foreign = { ...(await asked()), code: 'a'.repeat(64) }
      expect(await failure(call('skill.trust', foreign))).toMatchObject({ field: 'code' })
      expect(await stored()).toMatchObject({ plan: null })
      await trust()
    })

    test.each([
      ['is no JSON', 'not json'],
      ['is no workflow', '[1]'],
      ['leads to a step that is not there', JSON.stringify({ name: 'x', steps: [step('a', 'gone')] })],
      ['has a loop without a limit', JSON.stringify({ name: 'x', steps: [step('a', 'b'), step('b', 'a')] })],
      ['is nested too deeply', `${'['.repeat(2000)}${']'.repeat(2000)}`],
    ])('for an export that %s', async (_, exported) => {
      const { asked, stored } = await withTell()
      expect(await failure(call('skill.trust', { ...(await asked()), exported }))).toMatchObject({
        code: 'invalid',
        field: 'exported',
      })
      expect(await stored()).toMatchObject({ plan: null })
    })

    test('for a skill without a workflow module, and for a folder without a skill', async () => {
      const { it, asked, folder } = await withTell()
      const plain = { ...(await asked()), folder: join(it.project, '.claude/skills/plain') }
      expect(await failure(call('skill.trust', plain))).toMatchObject({ code: 'conflict', field: 'folder' })
      const none = { ...plain, folder: join(folder, 'none') }
      expect(await failure(call('skill.trust', none))).toMatchObject({ code: 'conflict' })
    })

    test('for more code than is read', async () => {
      const long = { 'data.js': `/*${'x'.repeat(600_000)}*/` }
      const { asked } = await withTell(long)
      const given = { ...(await asked()), code: 'a'.repeat(64) }
      expect(await failure(call('skill.trust', given))).toMatchObject({ code: 'conflict', field: 'folder' })
    })
  })

  describe('the texts that a workflow names', () => {
    const naming = {
      ...DATA,
      steps: [step('write', null, { actions: ['x', { block: 'convention', name: 'tone' }] })],
    }
    const text = 'conventions/tone.md'

    test('are read when it is trusted: from the skill, its project, the user or the package', async () => {
      const { it, trust, stored, file } = await withTell()
      const { own, packaged } = world().context
      const places = [packaged, dirname(own.config), join(it.project, '.holdfast'), file('.')]
      expect(await failure(trust(naming))).toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('convention tone'),
      })
      for (const [index, place] of places.entries()) {
        await writeFiles({ [text]: `Tone ${index}` }, place)
        expect(await trust(naming)).toMatchObject({ changed: true, texts: ['convention tone'] })
        expect(await stored()).toMatchObject({ plan: { texts: { 'convention tone': `Tone ${index}` } } })
      }
      await writeFiles({ [file(text)]: 'Another' })
      expect(await stored()).toMatchObject({ plan: { texts: { 'convention tone': 'Tone 3' } } })
      for (const place of places) await rm(join(place, text))
    })
  })
}
