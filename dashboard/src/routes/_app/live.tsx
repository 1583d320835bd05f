import { createFileRoute } from '@tanstack/react-router'
import { type LiveFilter, parseLiveFilter } from '../../areas/telemetry/live-filter.ts'
import { LiveScreen } from '../../areas/telemetry/live-screen.tsx'

export const Route = createFileRoute('/_app/live')({
	validateSearch: (search: Record<string, unknown>): LiveFilter => parseLiveFilter(search),
	component: LiveScreen,
})
