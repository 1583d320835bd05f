import type { Attempt } from '../attempt.ts'
import { ResponseTee } from '../tee/response-tee.ts'
import { type CallHooks, isPlain } from './call-hooks.ts'
import { StreamGuard } from './stream-guard.ts'
import { StreamTexts } from './stream-texts.ts'
import { WholeGuard } from './whole-guard.ts'

/** How an answer goes to the client. */
export interface GuardedAnswer {
	/** Its head; `lengthBytes` where its body is another than the provider's. */
	begin(lengthBytes: number | null): void
	write(chunk: Buffer): void
}

/** Stands between an answer and the client while hooks judge it. Both reject with the Problem that ends the call. */
export interface AnswerGuard {
	/** Whether the head has to wait for the whole answer. */
	readonly holdsHead: boolean
	push(chunk: Buffer): Promise<void>
	end(): Promise<void>
	/** What makes the bytes that have passed end with this event; null where nothing can be added to them. */
	ending(event: string | Buffer): string | Buffer | null
}

/** Null: no hook is for this answer, or none can read it. Throws Problem where one that cannot read it fails closed. */
export function guardAnswer(hooks: CallHooks, attempt: Attempt, answer: GuardedAnswer): AnswerGuard | null {
	const { headers, httpStatus, reader } = attempt
	if ((httpStatus ?? 0) >= 400) return null
	const type = headers['content-type'] ?? ''
	const texts = new StreamTexts(reader?.listed ?? false)
	const tee = new ResponseTee(type, headers['content-encoding'] ?? '', texts, { onProgress: () => {} })
	const stage = tee.streamed ? 'stream' : 'response'
	const judges = hooks.at(stage)
	if (judges.length === 0) return null
	const readable = isPlain(headers) && (tee.streamed || /^application\/([\w.-]+\+)?json\b/.test(type))
	if (!readable) {
		hooks.fail(judges, stage, 'The answer is no plain JSON.')
		return null
	}
	return tee.streamed
		? new StreamGuard(hooks, judges, answer, tee, texts)
		: new WholeGuard(hooks, judges, answer)
}
