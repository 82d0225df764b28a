import * as fs from 'node:fs'
import { promisify } from 'node:util'

/**
 * What the disk says about a path. The same functions of node:fs/promises take twice the time, most of all for what is
 * missing, because they collect the stack of every error.
 */
export const [lstat, readdir, readlink, realpath, stat] = [
  promisify(fs.lstat),
  promisify(fs.readdir),
  promisify(fs.readlink),
  promisify(fs.realpath.native),
  promisify(fs.stat),
]
