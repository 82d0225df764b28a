import { saidIn } from '../model/invocation.ts'
import { mayBeShortcut } from '../model/shortcut.ts'
import { rule } from './rule.ts'
import { shortcutTexts } from './told/shortcuts.ts'

/** Spells out a short prompt, for the agent and for the user, who can see what was made of it. */
export const shortcuts = rule({
  name: 'shortcuts',
  summary: 'tells the agent and the user what a prompt such as `xc` or `p: …` asks for',
  setting: 'shortcuts',
  on: ['prompt.submitted'],
  wakes: ({ event }) => mayBeShortcut(saidIn(event) ?? ''),
  needs: ['shortcuts', 'work', 'queued'],
  judge(_, facts) {
    const { used } = facts.shortcuts
    if (used.length === 0) return undefined
    const texts = used.map((one) => shortcutTexts(one, facts))
    return {
      contexts: texts.map(({ context }) => context),
      notice: texts.map(({ notice }) => notice).join(' '),
    }
  },
})
