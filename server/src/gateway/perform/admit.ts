import type { Gateway } from '../gateway.ts'
import type { Operation } from '../operation.ts'
import { awaitApproval, type GatedCall } from './await-approval.ts'

/**
 * Resolves when a call that a person must approve may be sent. An answer to what its server asked goes on with the call
 * that was approved, once: our own sealed state says so. Rejects with what the client shall read.
 */
export async function admit(gateway: Gateway, operation: Operation, gated: GatedCall): Promise<void> {
	const { serverState } = operation
	const goesOn = serverState?.isApproved && serverState.serverId === gated.server.id
	if (goesOn) await gateway.states.useOnce(operation, serverState.stateId)
	else await awaitApproval(gateway, operation, gated)
	operation.isApproved = true
}
