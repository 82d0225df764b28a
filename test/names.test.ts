import { globSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { expect, test } from 'vitest'

const filesIn = (pattern: string) => globSync(pattern).filter((file) => !/\.(test|contract)\.ts$/.test(file))

/** The names that a folder declares more than once. */
function twinsIn(folder: string, declared: RegExp): readonly string[] {
  const names = filesIn(`${folder}/*.ts`).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(declared)].map(([, name = '']) => name),
  )
  return names.filter((name, index) => names.indexOf(name) !== index)
}

test.each(['src/rpc', 'src/daemon', 'src/daemon/jobs', 'src/daemon/routes', 'src/cli/daemon'])(
  'no two files of %s use one name for two things',
  (folder) => {
    const declared =
      /^(?:export )?(?:async )?(?:function\*?|const|class|interface|type) ([a-zA-Z]*[a-z]\w*)/gm
    expect(twinsIn(folder, declared)).toEqual([])
  },
)

/** Methods and migrations are called by their name or number, not by what exports them. */
const NAMED_OTHERWISE = new Set(['src/engine/methods', 'src/store/migrations'])

test.each([...new Set(filesIn('src/**/*.ts').map(dirname))].filter((folder) => !NAMED_OTHERWISE.has(folder)))(
  'no two files of %s export one name',
  (folder) => {
    const exported = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm
    expect(twinsIn(folder, exported)).toEqual([])
  },
)
