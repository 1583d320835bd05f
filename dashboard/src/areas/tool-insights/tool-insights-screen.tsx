import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { defaultRange, type TimeRange } from '../../lib/time-range.ts'
import { ExportMenu } from '../../ui/export-menu.tsx'
import { FilterRow, FilterSelect } from '../../ui/filter-row.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { allAgentsQuery } from '../agents/queries.ts'
import { allServersQuery } from '../servers/queries.ts'
import { RangePicker } from '../spotlight/range-picker.tsx'
import { type Insight, insightNames } from './insight-names.ts'
import { insights } from './insights.tsx'
import { type InsightsSearch, parseInsightsSearch } from './insights-search.ts'
import type { Asked } from './queries.ts'

const route = getRouteApi('/_app/tool-insights')

/** Which tools are useful, and which are in the way? */
export function ToolInsightsScreen() {
	const search = route.useSearch()
	const navigate = route.useNavigate()
	const { start, end, insight = 'selection', agent, server } = search
	const range: TimeRange = start ? { start, ...(end && { end }) } : defaultRange
	const asked: Asked = { range, ...(agent && { agent }), ...(server && { server }) }
	const question = insightNames.find(({ value }) => value === insight)?.file
	const set = (change: Partial<Record<keyof InsightsSearch, string | undefined>>) =>
		void navigate({ search: parseInsightsSearch({ ...search, ...change }) })
	return (
		<Page
			title="Tool insights"
			description="Insights about your servers and tools, from definitions, grants and calls."
			actions={
				<>
					{question && (
						<ExportMenu
							path="/v1/spotlight/mcp/export"
							formats={['csv', 'jsonl']}
							query={{ ...range, agent, server, question, limit: 1000 }}
						/>
					)}
					<RangePicker range={range} onChange={(next) => set({ end: undefined, ...next })} />
				</>
			}
		>
			<Conditions agent={agent} server={server} onChange={set} />
			<Tabs<Insight>
				label="Insights"
				value={insight}
				onChange={(next) => set({ insight: next })}
				tabs={insightNames.map(({ value, label }) => {
					const Answer = insights[value]
					return { value, label, content: <Answer asked={asked} /> }
				})}
			/>
		</Page>
	)
}

interface ConditionsProps {
	agent: string | undefined
	server: string | undefined
	onChange(change: { agent?: string; server?: string }): void
}

function Conditions({ agent, server, onChange }: ConditionsProps) {
	const { data: agents } = useQuery(allAgentsQuery)
	const { data: servers } = useQuery(allServersQuery)
	return (
		<FilterRow className="mb-3">
			<FilterSelect
				label="Agent"
				all="All agents"
				options={(agents?.agents ?? []).map(({ uuid, name }) => [uuid, name])}
				value={agent}
				onChange={(chosen) => onChange({ agent: chosen })}
			/>
			<FilterSelect
				label="Server"
				all="All servers"
				options={(servers?.mcp_servers ?? []).map(({ id, name }) => [id, name])}
				value={server}
				onChange={(chosen) => onChange({ server: chosen })}
			/>
		</FilterRow>
	)
}
