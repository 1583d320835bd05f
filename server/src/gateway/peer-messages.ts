import {
	type JsonObject,
	parseJsonText,
	type RpcFailure,
	type RpcRequest,
	type RpcResponse,
} from '../mcp-client/index.ts'
import { appendChange, type ChangeKind, type View } from '../platform/changes.ts'
import type { Clock } from '../platform/clock.ts'
import type { SealContext, Sealer } from '../platform/crypto/seal.ts'
import type { Database } from '../platform/database/database.ts'
import { newId } from '../platform/ids.ts'
import type { Mutate } from '../platform/mutation.ts'
import type { PlanResult } from './perform/plan.ts'
import { deletePeerMessagesBefore, findPeerMessage, insertPeerMessage } from './session-repository.ts'

export type PeerMessage =
	/** A legacy client's answer to an input request of another process. */
	| { kind: 'answer'; sessionId: string; response: RpcResponse }
	/** A legacy client's progress with an input request of another process. */
	| { kind: 'progress'; sessionId: string; params: JsonObject }
	/** A request that may run elsewhere was cancelled; `requestId` is its JSON. */
	| { kind: 'cancel'; sessionId: string; requestId: string }
	/** A session was changed or ended. */
	| { kind: 'session'; sessionId: string }
	/** A message for the stream of a session that another process holds. */
	| { kind: 'aside'; sessionId: string; message: string }
	/** Who can send to the client of a session: on its stream, on that of a call, or on either? Or who only runs a call of it? */
	| { kind: 'find'; sessionId: string; ticket: string; need: 'stream' | 'either' | 'call' }
	| { kind: 'found'; sessionId: string; ticket: string; by: string }
	/** For the process that was found: a message about the input request `id`. `unread`: the client may not have got it. */
	| { kind: 'tell'; sessionId: string; to: string; id: string; message: string }
	| { kind: 'unread'; sessionId: string; id: string }
	/** The retry of an operation that another process holds. The holder answers `taken` at once, and `outcome` at the end. */
	| { kind: 'retry'; ticket: string; heldId: string; request: RpcRequest; responses: JsonObject }
	| { kind: 'taken'; ticket: string }
	| { kind: 'outcome'; ticket: string; result: PlanResult | null; failure: SentFailure | null }
	/** Nobody waits for the outcome any more. */
	| { kind: 'drop'; ticket: string }

type SentFailure = Pick<RpcFailure, 'code' | 'message' | 'data' | 'status' | 'errorType'>

interface Content {
	from: string
	/** The name in the stored JSON. It must not change: other versions read it too. */
	letter: PeerMessage
}

interface PeerMessageDependencies {
	db: Database
	mutate: Mutate
	sealer: Sealer
	clock: Clock
	/** Whether this is the only process on the store. */
	isAlone: boolean
}

const keptMs = 5 * 60_000

/**
 * Sends messages to the other processes on the same store, for operations that only one of them holds. Messages are encrypted
 * rows, announced by the change feed within milliseconds. If there is no other process, nothing is written.
 */
export class PeerMessages implements View {
	readonly kinds: readonly ChangeKind[] = ['mcp_letter']
	readonly #deps: PeerMessageDependencies
	readonly #from: string
	#take: (peerMessage: PeerMessage) => void = () => {}

	constructor(dependencies: PeerMessageDependencies) {
		this.#deps = dependencies
		this.#from = newId(dependencies.clock.nowMs())
	}

	onPeerMessage(take: (peerMessage: PeerMessage) => void): void {
		this.#take = take
	}

	/** Whether there may be another process on the store. */
	get hasReaders(): boolean {
		return !this.#deps.isAlone
	}

	async send({ workspaceId }: { workspaceId: string }, peerMessage: PeerMessage): Promise<void> {
		if (!this.hasReaders) return
		const { sealer, clock, mutate } = this.#deps
		const id = newId(clock.nowMs())
		const content: Content = { from: this.#from, letter: peerMessage }
		const sealed = sealer.seal(JSON.stringify(content), contextOf(workspaceId, id))
		const row = { id, workspace_id: workspaceId, sealed_content: sealed, created_at: clock.nowMs() }
		await mutate(async (tx) => {
			await insertPeerMessage(tx, row)
			await appendChange(tx, 'mcp_letter', id, clock)
		})
	}

	/** Loads nothing: messages from before this start concern no running operation. */
	async load(): Promise<void> {}

	async apply(_kind: ChangeKind, id: string): Promise<void> {
		const { db, sealer } = this.#deps
		const row = await findPeerMessage(db, id)
		if (!row) return
		const text = sealer.open(row.sealed_content, contextOf(row.workspace_id, id))
		const { from, letter: peerMessage } = parseJsonText(text) as Content
		if (from !== this.#from) this.#take(peerMessage)
	}

	sweep(): Promise<void> {
		const { db, clock } = this.#deps
		return deletePeerMessagesBefore(db, clock.deletionMs() - keptMs)
	}
}

function contextOf(workspaceId: string, id: string): SealContext {
	return { workspaceId, kind: 'mcp_letter', origin: '', id }
}
