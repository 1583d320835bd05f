import { Type } from 'typebox'
import { Nullable, OneOf, Strict } from './common.ts'

const Rows = (description: string) => Type.Integer({ description })

const CountBySignal = Strict(
	{ traces: Type.Integer(), metrics: Type.Integer(), logs: Type.Integer() },
	{
		title: 'CountBySignal',
		description: 'Spans, data points and log records since the start of the program',
	},
)

/** The state of a node's ingestion, and what became of the telemetry sent to it. */
export const RecorderState = Strict(
	{
		node_url: Nullable(
			Type.String({ description: 'SIGNALBOX_NODE_URL of the node that answers; null where it is not set' }),
		),
		acknowledged_rows: Rows('Acknowledged rows of all workspaces: stored, pending, quarantined and damaged'),
		stored_rows: Rows('In the telemetry store'),
		pending_rows: Rows('In the log, not yet in the store'),
		quarantined_rows: Rows('Quarantined because the store refuses them'),
		damaged_rows: Rows('Lost: in records of the log that failed their checksum'),
		open_calls: Rows('Announced calls without an outcome'),
		log_bytes: Type.Integer(),
		log_max_bytes: Type.Integer(),
		disk_free_bytes: Nullable(
			Type.Integer({
				description: 'Free space on the disk of the data directory; null: the store is elsewhere',
			}),
		),
		disk_reserve_bytes: Nullable(
			Type.Integer({ description: 'Below this, the oldest days of telemetry are dropped' }),
		),
		oldest_pending_ms: Type.Number({ description: 'Age of the oldest row that is only in the log' }),
		last_flush_ms: Type.Number({ description: 'How long the last flush of the log took' }),
		write_failure: Nullable(Type.String({ description: 'Why the log accepts no records now' })),
		ship_failure: Nullable(Type.String({ description: 'Why the store did not accept the last batch' })),
		event_loop_stall_ms: Type.Number({ description: 'The longest stall of the last minutes' }),
		/** Recorded. */
		accepted: CountBySignal,
		/** Acknowledged but not recorded again, because the same body was recorded before. */
		repeated: CountBySignal,
		dropped: Type.Array(
			Strict(
				{ signal: OneOf(['traces', 'metrics', 'logs']), reason: Type.String(), items: Type.Integer() },
				{ title: 'DroppedItems' },
			),
			{
				description: 'Rejected items, as reported to their senders, since the start of the program',
			},
		),
		refused: Type.Array(
			Strict(
				{ reason: Type.String({ description: 'Code of the problem' }), requests: Type.Integer() },
				{ title: 'RefusedRequests' },
			),
			{ description: 'Requests that were refused as a whole, since the start of the program' },
		),
	},
	{
		title: 'RecorderState',
		description: 'Of all processes of this node, since the first start of their logs',
	},
)
