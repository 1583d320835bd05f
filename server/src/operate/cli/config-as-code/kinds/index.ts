import type { Section } from '../file-schema.ts'
import { agents, toolsets } from './agents.ts'
import { grants } from './grants.ts'
import type { Kind } from './kind.ts'
import { limits, webhooks } from './limits-and-webhooks.ts'
import { connections, servers } from './servers.ts'

export const kinds: { [S in Section]: Kind<S> } = {
	connections,
	servers,
	agents,
	toolsets,
	grants,
	webhooks,
	limits,
}
