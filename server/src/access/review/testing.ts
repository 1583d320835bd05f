import { randomBytes } from 'node:crypto'
import type { TelemetryStore } from '../../platform/clickhouse/store.ts'
import type { ControlStore } from '../../platform/database/database.ts'
import { spanInsert } from '../../telemetry/blocks/native.testing.ts'
import { newSpanRow, type SpanRow } from '../../telemetry/index.ts'
import { startTelemetryStore } from '../../telemetry/store.testing.ts'
import { type ControlPlane, type ControlPlaneOptions, startControlPlane } from '../grants/testing.ts'
import { openAccessReview } from './index.ts'

export interface ReviewStage extends ControlPlane {
	/** Stores calls as the gateway records them, and waits until they can be queried. */
	record(calls: readonly RecordedCall[]): Promise<void>
	telemetry: TelemetryStore
}

export interface RecordedCall extends Partial<SpanRow> {
	agentId: string
	serverId: string
	toolName: string
	atMs: number
	/** If absent, they were not recorded. */
	arguments?: unknown
}

/** The control plane with access reviews on a real engine. */
export async function startReview(
	store: ControlStore,
	options: Pick<ControlPlaneOptions, 'clock'> & { retentionDays?: number } = {},
): Promise<ReviewStage> {
	const engine = await startTelemetryStore()
	const app = await startControlPlane(store, {
		...options,
		more: (core) =>
			openAccessReview({
				...core,
				telemetry: engine.store,
				retentionDays: options.retentionDays ?? 90,
				agents: core.agents.view,
				servers: core.servers.view,
			}).operations,
	})
	return {
		...app,
		telemetry: engine.store,
		record: (calls) =>
			engine.store.insertRowBinary({
				...spanInsert(calls.map((call) => toRow(app.owner.workspaceId, call))),
				deduplicationToken: randomBytes(8).toString('hex'),
			}),
		close: async () => {
			await app.close()
			await engine.close()
		},
	}
}

function toRow(workspaceId: string, { atMs, arguments: values, ...given }: RecordedCall): SpanRow {
	return newSpanRow({
		workspaceId,
		traceId: randomBytes(16).toString('hex'),
		spanId: randomBytes(8).toString('hex'),
		name: `tools/call ${given.toolName}`,
		source: 'gateway',
		kind: 'tool_call',
		mcpMethod: 'tools/call',
		status: 'ok',
		startNs: BigInt(atMs) * 1_000_000n,
		...(values !== undefined && {
			attributes: new Map([['gen_ai.tool.call.arguments', JSON.stringify(values)]]),
		}),
		...given,
	})
}
