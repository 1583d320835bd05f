import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '../../platform/clock.ts'
import { Problem } from '../../platform/errors.ts'
import {
	type Principal,
	principalIn,
	type RequestContext,
	type Route,
	tooLarge,
} from '../../platform/http/index.ts'
import type { LiveTail } from '../live/live-tail.ts'
import type { Recorder } from '../recorder/recorder.ts'
import { answerSuccess } from './answers.ts'
import type { DecodedBody } from './decode-body.ts'
import { type DecodeOptions, ExpandsTooFar } from './decoded.ts'
import { Decoder } from './decoder.ts'
import { type Encoding, requireEncoding } from './encoding.ts'
import { type Hold, InFlight } from './in-flight.ts'
import { receiveBody } from './receive-body.ts'
import { Rejected } from './rejections.ts'
import { RetryMemory } from './retry-memory.ts'
import { Malformed } from './wire-reader.ts'

export interface OtlpDependencies {
	recorder: Pick<Recorder, 'append'>
	live: Pick<LiveTail, 'publishEncoded'>
	clock: Clock
	/** Judges the sender again before its spans are recorded: a slow upload outlives no revocation. */
	stillValid(principal: Principal): Problem | null
	/** Spans older than this are rejected. */
	retentionDays: number
	/** The most bytes of one body after decompression. Default 64 MiB, as the protocol recommends. */
	bodyLimitBytes?: number
}

const defaultBodyLimitBytes = 64 * 1024 * 1024
/** Bodies together, so that parallel large ones cannot fill the memory. */
const inFlightBodies = 4
/** Just below what the log takes at once; a body of the limit becomes about 100 MiB of rows. */
const maxRowsBytes = 120 * 1024 * 1024
const dayMs = 24 * 60 * 60 * 1000
const retryAfterS = 5

/** The paths of OTLP/HTTP and those that existing SDKs of ours send to. */
const tracePaths = {
	'otlp.traces': '/v1/traces',
	'otlp.ingest_http_traces': '/telemetry/ingest_http/traces',
	'otlp.ingest_http': '/telemetry/ingest_http',
}

/** The OTLP/HTTP receiver: 200 means that the spans are on disk. */
export function otlpRoutes(dependencies: OtlpDependencies): { routes: Route[]; close(): Promise<void> } {
	const receiver = new Receiver(dependencies)
	const routes = Object.entries(tracePaths).map(
		([id, path]): Route => ({
			id,
			method: 'POST',
			path,
			access: { kinds: ['ingest_token'] },
			family: 'otlp',
			handle: (request, response, context) => receiver.receive(request, response, context),
		}),
	)
	return { routes, close: () => receiver.close() }
}

class Receiver {
	readonly #dependencies: OtlpDependencies
	readonly #limitBytes: number
	readonly #inFlight: InFlight
	readonly #decoder = new Decoder()
	readonly #memory: RetryMemory

	constructor(dependencies: OtlpDependencies) {
		this.#dependencies = dependencies
		this.#limitBytes = dependencies.bodyLimitBytes ?? defaultBodyLimitBytes
		this.#inFlight = new InFlight(inFlightBodies * this.#limitBytes)
		this.#memory = new RetryMemory(dependencies.clock)
	}

	async receive(request: IncomingMessage, response: ServerResponse, context: RequestContext): Promise<void> {
		const encoding = requireEncoding(request)
		const principal = principalIn(context)
		const hold = this.#inFlight.hold()
		try {
			const decoded = await this.#read(request, encoding, principal, hold)
			const refused = this.#dependencies.stillValid(principal)
			if (refused) throw refused
			await this.#memory.once(principal.workspaceId, decoded.digest, () => this.#record(principal, decoded))
			answerSuccess(response, encoding, decoded.count, decoded.rejections)
		} catch (error) {
			throw toProblem(error, this.#limitBytes)
		} finally {
			hold.release()
		}
	}

	close(): Promise<void> {
		return this.#decoder.close()
	}

	async #read(
		request: IncomingMessage,
		encoding: Encoding,
		principal: Principal,
		hold: Hold,
	): Promise<DecodedBody> {
		const body = await receiveBody(request, { limitBytes: this.#limitBytes, hold })
		return this.#decoder.decode(body, encoding, this.#decodeOptions(principal.workspaceId))
	}

	async #record({ workspaceId }: Principal, { rows, count }: DecodedBody): Promise<void> {
		if (count === 0) return
		await this.#dependencies.recorder.append({ workspaceId, count, bytes: rows })
		this.#dependencies.live.publishEncoded(workspaceId, rows, count)
	}

	#decodeOptions(workspaceId: string): DecodeOptions {
		const { clock, retentionDays } = this.#dependencies
		const nowMs = clock.nowMs()
		return {
			workspaceId,
			oldestNs: toNs(Math.max(0, nowMs - retentionDays * dayMs)),
			newestNs: toNs(nowMs + dayMs),
			maxRowsBytes,
		}
	}
}

function toNs(ms: number): bigint {
	return BigInt(ms) * 1_000_000n
}

/** Exporters drop what a 500 refuses, so trouble of ours is a 503. */
function toProblem(error: unknown, limitBytes: number): Problem {
	if (error instanceof Malformed || error instanceof Rejected) return badBody(error.message)
	if (error instanceof ExpandsTooFar)
		return new Problem(
			'body_too_large',
			`The spans take too much room: the limit of a body is ${limitBytes} bytes.`,
		)
	if (!(error instanceof Problem))
		return new Problem('store_unavailable', 'The spans could not be recorded.', { retryAfterS, cause: error })
	if (error.status === 413) return tooLarge(limitBytes)
	if (error.status === 503) error.headers['retry-after'] ??= String(retryAfterS)
	return error
}

function badBody(detail: string): Problem {
	return new Problem('invalid_request', detail, { errors: [{ pointer: '', code: 'malformed', detail }] })
}
