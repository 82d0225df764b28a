import { VERSION } from '../daemon/version.ts'

const words = process.argv.slice(2)
/** Agents call these again and again, so they do not wait for the code of the others. */
const isQuick = words[0] === 'step' || words[0] === 'status'

// Every `doctor` asks each program that it finds, so this loads nothing else.
if (words.length === 1 && words[0] === '--version') console.log(VERSION)
else if (isQuick) void import('./quick.ts')
else void import('./every.ts')
