import { configPath, findHome } from '../../daemon/home.ts'
import type { Command } from '../frame/command.ts'
import type { Finding } from '../doctor/check.ts'
import type { Io } from '../frame/io.ts'
import { paint } from '../frame/print.ts'
import { printResult } from '../frame/show.ts'

export const doctor: Command = {
  name: 'doctor',
  summary: 'Test the installation and print a fix for each problem.',
  usage: '',
  flags: {},
  async run(io) {
    const [{ withUserConfig }, { examine }, { Scene }] = await Promise.all([
      import('../../files/config.ts'),
      import('../doctor/examine.ts'),
      import('../doctor/scene.ts'),
    ])
    using scene = new Scene(io, findHome(withUserConfig(io.env, configPath(io.env))))
    const findings = await examine(scene)
    const healthy = findings.every(({ ok }) => ok)
    printResult(io, { healthy, findings }, () => findings.map((finding) => describe(io, finding)).join('\n'))
    return healthy ? 0 : 1
  },
}

const MARKS = { ok: ['green', 'ok  '], warning: ['yellow', 'warn'], broken: ['red', 'FAIL'] } as const

function describe(io: Io, { check, level, detail, fix, code }: Finding): string {
  const [style, mark] = MARKS[level]
  const name = code === null ? '' : paint(io, 'dim', ` [${code}]`)
  const mend = fix === null ? '' : `\n      ${' '.repeat(12)}fix: ${paint(io, 'cyan', fix)}`
  return `${paint(io, style, mark)}  ${check.padEnd(12)}${detail}${name}${mend}`
}
