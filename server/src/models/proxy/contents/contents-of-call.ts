import { toIso } from '../../../platform/clock.ts'
import type { SpanRow } from '../../../telemetry/index.ts'
import type { Attempt } from '../attempt.ts'
import type { CallBody } from '../call-body.ts'
import type { CallFacts } from '../call-record.ts'
import type { Step } from '../reliability/call-plan.ts'
import type { CallContents, ContentsRecorder } from './record-contents.ts'

/** What one call carries, from its request to its answer; a call that carries no prompt has none. */
export class ContentsOfCall {
	readonly #recorder: ContentsRecorder
	#contents: CallContents | null = null
	#startNs = 0n

	constructor(recorder: ContentsRecorder) {
		this.#recorder = recorder
	}

	/** Before the call goes to its provider. */
	begin({ workspaceId, credentialId }: CallFacts, draft: SpanRow, step: Step, body: CallBody): void {
		if (!step.target.surface?.modelCall || !body.json) return
		this.#startNs = this.#recorder.startOf(draft)
		this.#contents = this.#recorder.open({
			workspaceId,
			caller: `${workspaceId} ${credentialId} ${draft.userId}`,
			day: toIso(Number(this.#startNs / 1_000_000n)).slice(0, 10),
			freshSession: draft.sessionId === '' ? `${inferred}${draft.spanId}` : '',
			keepsTexts: step.entry?.recordsBodies ?? true,
			body: body.plain,
		})
	}

	/** The announced row with the session that the messages go on with, where the client names none. */
	withSession(draft: SpanRow): SpanRow | Promise<SpanRow> {
		if (draft.sessionId !== '' || !this.#contents) return draft
		const { session } = this.#contents
		const named = (sessionId: string) => (sessionId === '' ? draft : { ...draft, sessionId })
		return typeof session === 'string' ? named(session) : session.then(named)
	}

	/** With the row as it was recorded. */
	end(row: SpanRow, attempt: Attempt | null): void {
		const answer = {
			listed: attempt?.reader?.listed ?? false,
			contentType: String(attempt?.headers['content-type'] ?? ''),
			encoding: String(attempt?.headers['content-encoding'] ?? ''),
			body: attempt?.kept.take() ?? Buffer.alloc(0),
		}
		this.#contents?.record(
			{ ...row, startNs: this.#startNs },
			answer,
			attempt?.reader?.reading.responseId ?? '',
		)
		this.#contents = null
	}

	/** Of a call that could not be recorded. */
	drop(): void {
		this.#contents?.drop()
		this.#contents = null
	}
}

/** How the ids of sessions begin that no client named. */
const inferred = 'inferred:'
