import about from '../../package.json' with { type: 'json' }

export const VERSION: string = about.version

/** The oldest Node that this runs on; an older one only finds a newer one (`bin/newer-node.js`). */
export const OLDEST_NODE = '24.12'
