import { createHash } from 'node:crypto'
import { type PriceCall, tokenBuckets, type UsageLine } from '../../../ledger/ledger.ts'
import type { Jobs, RunningJob } from '../../../platform/jobs/job.ts'
import { newSpanRow, type RecordCalls, type SpanRow } from '../../../telemetry/index.ts'
import { type CallSpending, outcomeForBudgets } from '../call-allowance.ts'
import { addKind, addReading, type ReportedReading } from '../call-record.ts'
import type { ReadResult } from '../providers/provider.ts'
import type { DeferredCall } from '../reliability/call-plan.ts'
import type { Target } from '../target.ts'

interface RecordDependencies {
	jobs: Jobs
	recordCalls: RecordCalls
	priceCall: PriceCall
	spending: Pick<CallSpending, 'charge'>
}

export const recordJob = 'model-proxy.record-results'

/** The job that records claimed results as calls and charges them to budgets. */
export function handleResults(deps: RecordDependencies): void {
	deps.jobs.handle(recordJob, (job) => record(deps, job))
}

async function record(deps: RecordDependencies, job: RunningJob): Promise<void> {
	const { call, results } = job.payload as { call: DeferredCall; results: ReportedResult[] }
	const rows = results.map((result) => rowOf(call, result, deps.priceCall))
	// After a run that was killed before its end, the log recognises the rows by this key.
	const isNew = await deps.recordCalls(job.id.replaceAll('-', ''), rows)
	if (isNew)
		for (const row of rows) deps.spending.charge(spenderOf(call), outcomeForBudgets(row, row.errorType))
	await job.commit((tx) => job.finish(tx))
}

const spenderOf = ({ credentialId: keyId, ...call }: DeferredCall) => ({ ...call, keyId })

/** A separate call below the one that began it, with the prices at that time. */
function rowOf(
	call: DeferredCall,
	{ key, name, lines, reading, ...reported }: ReportedResult,
	price: PriceCall,
): SpanRow {
	const { kind, connectionId: _connection, objectId, startMs, spanId, vendor, ...asked } = call
	const begun = { ...asked, provider: vendor ?? call.provider }
	const model = reported.model || call.modelRequested
	const operation = kind === 'batch' ? 'batch_result' : 'background_response'
	const startNs = BigInt(startMs) * 1_000_000n
	const { serviceTier, speed, geo } = reading
	const terms = { serviceTier, speed, geo, batch: kind === 'batch' }
	const { costNanoUsd, ledger } = price({ ...begun, kind: call.provider, model, lines, terms, startNs })
	const attributes: Parameters<typeof addReading>[0] = new Map()
		.set('gen_ai.operation.name', operation)
		.set('gen_ai.provider.name', begun.provider)
		.set('signalbox.deferred.object', objectId)
		.set('signalbox.deferred.result', name)
	if (kind === 'batch') attributes.set('signalbox.batch', true)
	addKind(attributes, begun.provider, call.provider)
	addReading(attributes, reading)
	return newSpanRow({
		...begun,
		parentSpanId: spanId,
		spanId: key.slice(0, 16),
		name: model ? `${operation} ${model}` : operation,
		otlpKind: 3,
		source: 'model_proxy',
		kind: 'model_call',
		status: 'ok',
		startNs,
		model,
		...tokenBuckets(lines),
		usageSource: 'reported',
		costNanoUsd,
		costSource: costNanoUsd === null ? '' : 'computed',
		ledger,
		attributes,
	})
}

/** A result in the job's payload: plain JSON. */
interface ReportedResult {
	/** See `resultKey`. */
	key: string
	/** The name that the provider uses. */
	name: string
	model: string
	lines: readonly UsageLine[]
	reading: ReportedReading
}

export function toReported(key: string, { key: name, reading }: ReadResult): ReportedResult {
	const { model, responseId, finishReason, serviceTier, speed, geo, rawUsage, usage } = reading
	const reported = { responseId, finishReason, serviceTier, speed, geo, rawUsage, usage }
	return { key, name: name.slice(0, 256), model, lines: usage?.lines ?? [], reading: reported }
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
		...{ provider: target.provider, vendor: target.vendor },
		...{ connectionId, objectId },
		startMs: Number(row.startNs / 1_000_000n),
	}
}

/** A stable key: the same for the same result whenever it is read; 32 hex digits. */
export function resultKey({ connectionId, objectId }: DeferredCall, key: string): string {
	return createHash('sha256')
		.update(JSON.stringify([connectionId, objectId, key]))
		.digest('hex')
		.slice(0, 32)
}
