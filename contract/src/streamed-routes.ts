import type { TObject } from 'typebox'
import { type Access, byScope } from './access.ts'
import { auditExport } from './audit.ts'
import { eventStream } from './events.ts'
import { spotlightExport } from './spotlight-export.ts'
import { spotlightMcpExport } from './spotlight-mcp.ts'
import { telemetryExports } from './telemetry-queries.ts'

/** A GET that answers with a file or a stream, so its answer has no schema. */
export interface StreamedRoute {
	id: string
	method: 'GET'
	path: string
	access: Access
	query?: TObject
	summary: string
	/** The heading in the document. */
	tag: string
	mediaTypes: readonly string[]
}

export const telemetryLive = {
	id: 'telemetry.live',
	method: 'GET',
	path: '/v1/telemetry/live',
	access: byScope('telemetry:read'),
} as const

const events = ['text/event-stream']
const csv = 'text/csv'
const lines = 'application/x-ndjson'

/** All of the platform API that is not an operation. */
export const streamedRoutes: readonly StreamedRoute[] = [
	{
		...eventStream,
		summary: 'Stream the events of the workspace as server-sent events',
		tag: 'Webhooks',
		mediaTypes: events,
	},
	{
		...telemetryLive,
		summary: 'Stream spans as they are recorded, as server-sent events `span` and `gap`',
		tag: 'Telemetry',
		mediaTypes: events,
	},
	...Object.entries(telemetryExports).map(([signal, route]) => ({
		...route,
		summary: `Export stored ${signal} as a file`,
		tag: 'Telemetry',
		mediaTypes: [lines, csv],
	})),
	{
		...auditExport,
		summary: 'Export records of the audit log as a file',
		tag: 'Audit',
		mediaTypes: [lines, csv],
	},
	{
		...spotlightExport,
		summary: 'Export a Spotlight list as a file',
		tag: 'Spotlight',
		mediaTypes: [csv, 'application/json'],
	},
	{
		...spotlightMcpExport,
		summary: 'Export findings about MCP as a file',
		tag: 'Spotlight',
		mediaTypes: [csv, lines],
	},
]
