import { createRequire } from 'node:module'

// An ES import of it would load Node's own fetch too, which is not used here and takes 14 MB.
export const http = createRequire(import.meta.url)('node:http') as typeof import('node:http')
