import type { Section } from '../file-schema.ts'
import { agents } from './agents.ts'
import { connections } from './connections.ts'
import { grants } from './grants.ts'
import type { Kind } from './kind.ts'
import { limits } from './limits.ts'
import { servers } from './servers.ts'
import { toolsets } from './toolsets.ts'
import { webhooks } from './webhooks.ts'

export const kinds: { [S in Section]: Kind<S> } = {
	connections,
	servers,
	agents,
	toolsets,
	grants,
	webhooks,
	limits,
}
