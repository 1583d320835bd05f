import { createFileRoute } from '@tanstack/react-router'
import {
	parseTelemetrySettingsSearch,
	type TelemetrySettingsSearch,
} from '../../areas/telemetry-settings/settings-search.ts'
import { TelemetrySettingsScreen } from '../../areas/telemetry-settings/telemetry-settings-screen.tsx'

export const Route = createFileRoute('/_app/telemetry-settings')({
	validateSearch: (search: Record<string, unknown>): TelemetrySettingsSearch =>
		parseTelemetrySettingsSearch(search),
	component: TelemetrySettingsScreen,
})
