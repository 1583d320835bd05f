import { randomUUID } from 'node:crypto'
import { Cancellation, failureOf, namedFailure, RpcFailure, rpcCodes } from '../../../mcp-client/index.ts'
import type { Gateway } from '../../gateway.ts'
import type { Operation, Retry } from '../../operation.ts'
import type { PeerMessage, PeerMessages } from '../../peer-messages.ts'
import type { PlanResult } from '../../perform/plan.ts'
import { CollectedReply } from '../../reply.ts'

type RetryMessage = Extract<PeerMessage, { kind: 'retry' }>
type Outcome = Extract<PeerMessage, { kind: 'outcome' }>

interface Waiting {
	resolve(result: PlanResult): void
	reject(failure: RpcFailure): void
	/** Fires if no process says that it has the operation. */
	unanswered: NodeJS.Timeout
}

const findMs = 3000

/** Retries whose operation another process holds. They are forwarded to it, and its outcome is returned. Progress is not. */
export class ForwardedRetries {
	readonly #peerMessages: PeerMessages
	readonly #waiting = new Map<string, Waiting>()
	/** Operations that run here for other processes, by ticket. */
	readonly #guests = new Map<string, Cancellation>()

	constructor(peerMessages: PeerMessages) {
		this.#peerMessages = peerMessages
	}

	/** Rejects with `lost` if no process has the operation. */
	async forward(operation: Operation, retry: Retry, lost: RpcFailure): Promise<PlanResult> {
		if (!this.#peerMessages.hasReaders) throw lost
		const ticket = randomUUID()
		const { caller, request, cancellation } = operation
		const { heldId, responses } = retry
		const outcome = new Promise<PlanResult>((resolve, reject) => {
			const unanswered = setTimeout(() => reject(lost), findMs)
			this.#waiting.set(ticket, { resolve, reject, unanswered })
			cancellation.handOver((failure) => {
				reject(failure)
				void this.#peerMessages.send(caller, { kind: 'drop', ticket }).catch(() => {})
			})
		})
		outcome.catch(() => {})
		try {
			await this.#peerMessages.send(caller, { kind: 'retry', ticket, heldId, request, responses })
			return await outcome
		} finally {
			clearTimeout(this.#waiting.get(ticket)?.unanswered)
			this.#waiting.delete(ticket)
			cancellation.handOver(null)
		}
	}

	/** Handles messages of other processes about such operations. */
	take(gateway: Gateway, peerMessage: PeerMessage): void {
		if (peerMessage.kind === 'retry') void this.#host(gateway, peerMessage)
		if (peerMessage.kind === 'taken') clearTimeout(this.#waiting.get(peerMessage.ticket)?.unanswered)
		if (peerMessage.kind === 'drop') this.#guests.get(peerMessage.ticket)?.cancel(gone())
		if (peerMessage.kind === 'outcome') this.#settle(peerMessage)
	}

	async #host(gateway: Gateway, { ticket, heldId, request, responses }: RetryMessage): Promise<void> {
		const held = gateway.dialogues.find(heldId)
		if (!held) return
		const { caller } = held.operation
		const cancellation = new Cancellation()
		this.#guests.set(ticket, cancellation)
		const operation = { ...held.operation, request, reply: new CollectedReply(), cancellation, asking: 0 }
		const running = gateway.running.add(operation)
		try {
			await this.#peerMessages.send(caller, { kind: 'taken', ticket })
			const result = await gateway.dialogues.resume(held, operation, responses)
			await this.#peerMessages.send(caller, { kind: 'outcome', ticket, result, failure: null })
		} catch (error) {
			const { code, message, data, status, errorType } = failureOf(error)
			const failure = { code, message, data, status, errorType }
			await this.#peerMessages
				.send(caller, { kind: 'outcome', ticket, result: null, failure })
				.catch((cause: unknown) =>
					gateway.log.warn(
						{ err: cause },
						'gateway: an outcome could not be sent to the process that forwarded the retry',
					),
				)
		} finally {
			gateway.running.remove(running)
			this.#guests.delete(ticket)
		}
	}

	#settle({ ticket, result, failure }: Outcome): void {
		const waiting = this.#waiting.get(ticket)
		if (result) waiting?.resolve(result)
		else if (failure) {
			const { code, message, ...rest } = failure
			waiting?.reject(new RpcFailure(code, message, rest))
		}
	}
}

function gone(): RpcFailure {
	return namedFailure(rpcCodes.internal, 'cancelled', 'The client went away.', { status: 'interrupted' })
}
