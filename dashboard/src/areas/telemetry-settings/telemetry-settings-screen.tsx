import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { RedactionTab } from './redaction-tab.tsx'
import { RetentionTab } from './retention-tab.tsx'

const route = getRouteApi('/_app/telemetry-settings')

/** What is kept of telemetry, and for how long? */
export function TelemetrySettingsScreen() {
	const { tab = 'retention' } = route.useSearch()
	const navigate = route.useNavigate()
	return (
		<Page
			title="Data retention & redaction"
			description="How long this workspace’s telemetry is kept, and what is redacted from it."
		>
			<Tabs<'retention' | 'redaction'>
				label="Data retention & redaction"
				value={tab}
				onChange={(next) => void navigate({ search: next === 'redaction' ? { tab: next } : {} })}
				tabs={[
					{ value: 'retention', label: 'Retention', content: <RetentionTab /> },
					{ value: 'redaction', label: 'Redaction', content: <RedactionTab /> },
				]}
			/>
		</Page>
	)
}
