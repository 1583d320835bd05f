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
import { logRowFormat } from '../logs/log-columns.ts'
import { pointRowFormat } from '../metrics/point-columns.ts'
import type { Recorder } from '../recorder/recorder.ts'
import { spanRowFormat } from '../span-columns.ts'
import { answerSuccess } from './answers.ts'
import type { BodyForm, DecodedBody } from './decode-body.ts'
import { type DecodeOptions, ExpandsTooFar } from './decoded.ts'
import { Decoder } from './decoder.ts'
import { requireEncoding } from './encoding.ts'
import { type Hold, InFlight } from './in-flight.ts'
import { receiveBody } from './receive-body.ts'
import { Rejected } from './rejections.ts'
import { RetryMemory } from './retry-memory.ts'
import type { Signal } from './signals.ts'
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
const rowFormats: Readonly<Record<Signal, number>> = {
	traces: spanRowFormat,
	metrics: pointRowFormat,
	logs: logRowFormat,
}
const dayMs = 24 * 60 * 60 * 1000
const retryAfterS = 5

/** The paths of OTLP/HTTP and those that existing SDKs of ours send to. */
const paths: Readonly<Record<string, readonly [path: string, signal: Signal]>> = {
	'otlp.traces': ['/v1/traces', 'traces'],
	'otlp.metrics': ['/v1/metrics', 'metrics'],
	'otlp.logs': ['/v1/logs', 'logs'],
	'otlp.ingest_http_traces': ['/telemetry/ingest_http/traces', 'traces'],
	'otlp.ingest_http_metrics': ['/telemetry/ingest_http/metrics', 'metrics'],
	'otlp.ingest_http_logs': ['/telemetry/ingest_http/logs', 'logs'],
	'otlp.ingest_http': ['/telemetry/ingest_http', 'traces'],
}

/** The OTLP/HTTP receiver: 200 means that what was sent is on disk. */
export function otlpRoutes(dependencies: OtlpDependencies): { routes: Route[]; close(): Promise<void> } {
	const receiver = new Receiver(dependencies)
	const routes = Object.entries(paths).map(
		([id, [path, signal]]): Route => ({
			id,
			method: 'POST',
			path,
			access: { kinds: ['ingest_token'] },
			family: 'otlp',
			handle: (request, response, context) => receiver.receive(request, response, { signal, context }),
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

	async receive(
		request: IncomingMessage,
		response: ServerResponse,
		{ signal, context }: { signal: Signal; context: RequestContext },
	): Promise<void> {
		const form = { signal, encoding: requireEncoding(request) }
		const principal = principalIn(context)
		const hold = this.#inFlight.hold()
		try {
			const decoded = await this.#read(request, form, principal, hold)
			const refused = this.#dependencies.stillValid(principal)
			if (refused) throw refused
			await this.#memory.once(principal.workspaceId, `${signal} ${decoded.digest}`, () =>
				this.#record(principal, signal, decoded),
			)
			answerSuccess(request, response, form, decoded)
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
		form: BodyForm,
		principal: Principal,
		hold: Hold,
	): Promise<DecodedBody> {
		const body = await receiveBody(request, { limitBytes: this.#limitBytes, hold })
		return this.#decoder.decode(body, form, this.#decodeOptions(principal.workspaceId))
	}

	async #record({ workspaceId }: Principal, signal: Signal, { rows, count }: DecodedBody): Promise<void> {
		if (count === 0) return
		const rowFormat = rowFormats[signal]
		await this.#dependencies.recorder.append({ workspaceId, rowFormat, count, bytes: rows })
		if (signal === 'traces') this.#dependencies.live.publishEncoded(workspaceId, rows, count)
	}

	#decodeOptions(workspaceId: string): DecodeOptions {
		const { clock, retentionDays } = this.#dependencies
		const nowMs = clock.nowMs()
		return {
			workspaceId,
			oldestNs: toNs(Math.max(0, nowMs - retentionDays * dayMs)),
			newestNs: toNs(nowMs + dayMs),
			nowNs: toNs(nowMs),
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
			`What is sent takes too much room: the limit of a body is ${limitBytes} bytes.`,
		)
	if (!(error instanceof Problem))
		return new Problem('store_unavailable', 'The telemetry could not be recorded.', {
			retryAfterS,
			cause: error,
		})
	if (error.status === 413) return tooLarge(limitBytes)
	if (error.status === 503) error.headers['retry-after'] ??= String(retryAfterS)
	return error
}

function badBody(detail: string): Problem {
	return new Problem('invalid_request', detail, { errors: [{ pointer: '', code: 'malformed', detail }] })
}
