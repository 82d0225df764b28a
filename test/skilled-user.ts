import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Remote } from '../src/cli/daemon/remote.ts'
import { ENTRY, User } from './holdfast.ts'

const PHASES = [
  { label: '0', name: 'Setup', proof: ['mode'], gate: false },
  { label: '1', name: 'Work', proof: ['logEntries'] },
  { label: '2', name: 'Synthesis' },
]

/** The next skill of each skill with phases. */
const NEXT = { brainstorm: '/implement', implement: '/test', test: '/brainstorm' }

/** A user whose project has skills with phases and one with steps, and whose client has hooks. */
export class SkilledUser extends User {
  /** Writes a file of the project. */
  put(path: string, text: string): string {
    const file = join(this.project, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    return file
  }

  /** Calls the daemon without a separate process. */
  async ask<T>(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<T> {
    using remote = new Remote({ env: this.env, entry: ENTRY })
    return await remote.call<T>(method, params)
  }

  static async arrive(): Promise<SkilledUser> {
    const user = new SkilledUser()
    user.put('.git/HEAD', '')
    for (const [name, next] of Object.entries(NEXT)) {
      const plan = JSON.stringify({ phases: PHASES, nextSkills: [next], directives: ['TESTING.md'] })
      user.put(`.claude/skills/${name}/SKILL.md`, `${head(name)}\`\`\`json\n${plan}\n\`\`\`\n`)
    }
    user.put('.claude/skills/deploy/SKILL.md', `${head('deploy')}Read the steps.\n`)
    user.put('.claude/skills/deploy/steps/build.md', '---\nproduces: [bundle]\n---\n')
    user.put('.claude/skills/deploy/steps/ship.md', '---\nconsumes: [bundle]\n---\n')
    await user.wire()
    return user
  }
}

const head = (name: string) => `---\nname: ${name}\ndescription: Does it.\n---\n\n`
