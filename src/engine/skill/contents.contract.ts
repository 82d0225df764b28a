import { join } from 'node:path'
import { expect, test } from 'vitest'
import { clientAt, contextOf } from '../hook/client.contract.ts'
import { type World, writeFiles } from '../world.contract.ts'

/** What phases name, from the last of the places that are searched. */
export function contentsContract(world: () => World): void {
  test('a phase gets what the package ships if neither skill, project nor user has it', async () => {
    const it = await clientAt(world())
    const { packaged, user } = world().context
    const file = (name: string) => `.directives/commands/CMD_MINE_${name}.md`
    const shipped = { [file('A')]: 'A shipped', [file('B')]: 'B shipped', [file('C')]: 'C shipped' }
    await writeFiles({ ...shipped, 'SIGILS.md': 'Signs shipped' }, packaged)
    await writeFiles({ [file('B')]: 'B of the user' }, join(user.home, '.claude'))
    await writeFiles({ [file('C')]: 'C of the project' }, it.project)
    const commands = ['§CMD_MINE_A', '§CMD_MINE_B', '§CMD_MINE_C']
    const plan = JSON.stringify({
      phases: [{ label: '0', name: 'Do', commands, standards: ['SIGILS.md'] }],
    })
    const head = '---\nname: make\ndescription: Makes.\n---\n'
    await it.add('make', { 'SKILL.md': `${head}\n\`\`\`json\n${plan}\n\`\`\`\n` })
    await it.start()
    const told = contextOf(await it.prompt('/make a thing'))
    for (const part of ['  A shipped', '  B of the user', '  C of the project', '  Signs shipped'])
      expect(told).toContain(part)
    expect(told).toContain(`§CMD_MINE_A, from ${packaged}/${file('A')}:`)
    expect(told).not.toMatch(/[BC] shipped/)
  })
}
