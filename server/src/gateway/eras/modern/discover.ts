import { modernVersions } from '../../../mcp-client/index.ts'
import type { Gateway } from '../../gateway.ts'
import type { Operation } from '../../operation.ts'
import { introduce } from '../../perform/introduce.ts'
import { answerWith, type Plan } from '../../perform/plan.ts'
import { refusalOfEndpoint } from '../../refusal-of-endpoint.ts'
import { modernTaskCapability } from '../../tasks/task-capability.ts'

/** `server/discover`: what the endpoint is, without a handshake. */
export function planDiscover(gateway: Gateway, { caller }: Operation): Plan {
	const server = caller.serverId === null ? null : (gateway.enforcement.server(caller.serverId) ?? null)
	const answer = async () => {
		const { capabilities, serverInfo, instructions } = introduce(gateway, caller)
		return {
			supportedVersions: modernVersions,
			capabilities: {
				...{ ...capabilities, tools: { listChanged: true } },
				extensions: { ...(capabilities.extensions as object), ...modernTaskCapability.extensions },
			},
			...(instructions && { instructions }),
			resultType: 'complete',
			ttlMs: 0,
			cacheScope: 'private',
			_meta: { 'io.modelcontextprotocol/serverInfo': serverInfo },
		}
	}
	return answerWith(() => refusalOfEndpoint(gateway, caller), answer, server)
}
