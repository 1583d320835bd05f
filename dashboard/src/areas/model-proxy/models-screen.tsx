import { getRouteApi } from '@tanstack/react-router'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { HooksTab } from '../model-hooks/hooks-tab.tsx'
import type { ModelTab } from './connections-search.ts'
import { ConnectionsTab } from './connections-tab.tsx'
import { ModelLimitsTab } from './model-limits-tab.tsx'
import { RoutesTab } from './routes-tab.tsx'

const route = getRouteApi('/_app/connections')

/** How do model calls reach providers: through which accounts, by which routes, and how many are allowed? */
export function ModelsScreen() {
	const { tab = 'connections' } = route.useSearch()
	const navigate = route.useNavigate()
	return (
		<Page
			title="Model connections"
			description="A connection is one account at a model provider. Clients call it with a Signalbox key; the provider’s key is stored encrypted. A route puts several behind one name."
		>
			<Tabs<ModelTab>
				label="Models"
				value={tab}
				onChange={(next) => void navigate({ search: { tab: next } })}
				tabs={[
					{ value: 'connections', label: 'Connections', content: <ConnectionsTab /> },
					{ value: 'routes', label: 'Routes', content: <RoutesTab /> },
					{ value: 'limits', label: 'Limits', content: <ModelLimitsTab /> },
					{ value: 'hooks', label: 'Hooks', content: <HooksTab /> },
				]}
			/>
		</Page>
	)
}
