import { createFileRoute } from '@tanstack/react-router'
import { LogsScreen } from '../../areas/telemetry/logs-screen.tsx'
import { type LogsSearch, parseLogsSearch } from '../../areas/telemetry/logs-search.ts'

export const Route = createFileRoute('/_app/logs')({
	validateSearch: (search: Record<string, unknown>): LogsSearch => parseLogsSearch(search),
	component: LogsScreen,
})
