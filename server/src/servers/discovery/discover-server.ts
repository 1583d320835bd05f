import type { Dispatcher } from 'undici'
import type { ToolDefinition } from '../server-entry.ts'
import { Asking, type Conversation, noServer, type Patience, type Target } from './asking.ts'
import type { Introduction } from './introduction.ts'
import { toUpstreamFailure } from './upstream-failure.ts'

export type { Patience, Target }

export interface Discovery {
	transportType: 'http' | 'sse'
	/** The newest protocol revision that both sides speak. */
	protocolVersion: string
	introduction: Introduction
	/** Null when they are not known, although the server answers. */
	tools: ToolDefinition[] | null
	/** Why the server did not list them. */
	toolsFailure: string | null
	/** Whether that is because they did not come in time. */
	areToolsLate?: boolean
	/** Whether `tools` may lack some: those that it has only for some clients. */
	isPartial?: boolean
	/** Of the first request that it answered as a server of its era. */
	latencyMs: number
}

/**
 * Asks a server what it is and which tools it has: first in the era of 2026-07-28, then by
 * `initialize`, then over the 2024 transport. Rejects with an `UpstreamFailure`.
 */
export async function discoverServer(
	dispatcher: Dispatcher,
	target: Target,
	patience: Patience,
): Promise<Discovery> {
	return inConversation(dispatcher, target, patience, async (conversation) => {
		const listed = await conversation.listTools().then(
			(tools) => ({ tools, toolsFailure: null }),
			(error: unknown) => {
				const { message, late } = toUpstreamFailure(error)
				return { tools: null, toolsFailure: message, areToolsLate: late }
			},
		)
		const { transportType, protocolVersion, introduction, latencyMs } = conversation
		return { transportType, protocolVersion, introduction, latencyMs, ...listed }
	})
}

/** Asks a server only which revision it speaks. Rejects with an `UpstreamFailure`. */
export function probeRevision(dispatcher: Dispatcher, target: Target, patience: Patience): Promise<string> {
	return inConversation(dispatcher, target, patience, async ({ protocolVersion }) => protocolVersion)
}

/** The tools of a server that was discovered already, as a client with the target's capabilities sees them. */
export function listToolsAs(
	dispatcher: Dispatcher,
	target: Target,
	known: Pick<Discovery, 'transportType' | 'protocolVersion'>,
	patience: Patience,
): Promise<ToolDefinition[]> {
	return inConversation(
		dispatcher,
		target,
		patience,
		(conversation) => conversation.listTools(),
		async (asking) =>
			(await asking.openAgain(known)) ?? noServer('No MCP server answers at this address any more.'),
	)
}

async function inConversation<T>(
	dispatcher: Dispatcher,
	target: Target,
	patience: Patience,
	use: (conversation: Conversation) => Promise<T>,
	open = (asking: Asking) => asking.open(target),
): Promise<T> {
	const asking = new Asking(dispatcher, target, patience)
	try {
		const conversation = await open(asking)
		const result = await use(conversation)
		await conversation.end()
		return result
	} catch (error) {
		throw toUpstreamFailure(error)
	} finally {
		asking.close()
	}
}
