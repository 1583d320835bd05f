import { createFileRoute } from '@tanstack/react-router'
import { MetricsScreen } from '../../areas/telemetry/metrics-screen.tsx'
import { type MetricsSearch, parseMetricsSearch } from '../../areas/telemetry/metrics-search.ts'

export const Route = createFileRoute('/_app/metrics')({
	validateSearch: (search: Record<string, unknown>): MetricsSearch => parseMetricsSearch(search),
	component: MetricsScreen,
})
