import { createHash } from 'node:crypto'
import type { Provider } from '@signalbox/contract'
import type { SpanRow } from '../../../telemetry/index.ts'
import type { Target } from '../target.ts'

/** Whose the results are of what a provider does later, and which call began it. */
export interface DeferredCall
	extends Pick<
		SpanRow,
		| 'workspaceId'
		| 'traceId'
		| 'spanId'
		| 'agentId'
		| 'agentName'
		| 'credentialId'
		| 'sessionId'
		| 'userId'
		| 'client'
		| 'connection'
		| 'modelRequested'
	> {
	/** A batch costs what batches cost. */
	kind: 'batch' | 'response'
	provider: Provider
	connectionId: string
	/** As the provider names it. */
	objectId: string
	/** When it was begun, in ms since 1970. */
	startMs: number
}

/** What a call began over a connection with a stored key. */
export function deferredBy(
	row: SpanRow,
	target: Target,
	connectionId: string,
	objectId: string,
): DeferredCall {
	const { workspaceId, traceId, spanId, agentId, agentName, credentialId } = row
	const { sessionId, userId, client, connection, modelRequested } = row
	return {
		...{ workspaceId, traceId, spanId, agentId, agentName, credentialId },
		...{ sessionId, userId, client, connection, modelRequested },
		kind: target.surface?.modelCall ? 'response' : 'batch',
		provider: target.provider,
		...{ connectionId, objectId },
		startMs: Number(row.startNs / 1_000_000n),
	}
}

/** The same for the same result whenever it is read: 32 hex digits. */
export function resultKey({ connectionId, objectId }: DeferredCall, key: string): string {
	return createHash('sha256')
		.update(JSON.stringify([connectionId, objectId, key]))
		.digest('hex')
		.slice(0, 32)
}
