import type { Route } from '../../rpc/route.ts'
import { hook, strictHook } from './hook.ts'
import { rpc } from './rpc.ts'
import type { Served } from './served.ts'
import { statusLine } from './status-line.ts'

/** All HTTP routes, the most frequent first; a new route is a file and a line here. */
export const routes = (served: Served): readonly Route[] => [
  hook(served),
  strictHook(served),
  statusLine(served),
  rpc(served),
]
