import { createFileRoute } from '@tanstack/react-router'
import { TraceScreen } from '../../areas/telemetry/trace-screen.tsx'

export const Route = createFileRoute('/_app/traces/$traceId')({
	validateSearch: (search: Record<string, unknown>): { span?: string } =>
		typeof search.span === 'string' || typeof search.span === 'number' ? { span: String(search.span) } : {},
	component: TraceScreen,
})
