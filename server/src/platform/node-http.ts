import { createRequire } from 'node:module'

// An ES import would also load Node's own fetch, which is not used here and takes 14 MB.
export const http = createRequire(import.meta.url)('node:http') as typeof import('node:http')
