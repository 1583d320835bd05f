import { useQuery } from '@tanstack/react-query'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/field.tsx'
import { FilterChips } from '../../ui/filter-chips.tsx'
import { agentsQuery } from '../agents/queries.ts'
import { keyNamesQuery } from '../identity/credential-names.ts'
import { serversQuery } from '../servers/queries.ts'
import { AttributeField } from './attribute-field.tsx'
import { kindName } from './describe-span.ts'
import { type ExplorerSearch, parseExplorerSearch, textConditions } from './explorer-search.ts'
import { kinds } from './live-filter.ts'
import { OutcomeSelect } from './outcome-select.tsx'

interface Props {
	search: ExplorerSearch
	onChange(search: ExplorerSearch): void
}

/** Kind, outcome and attributes by controls; every other condition as a chip that can be taken away. */
export function ExplorerFilters({ search, onChange }: Props) {
	const set = (change: Record<string, unknown>) => onChange(parseExplorerSearch({ ...search, ...change }))
	const attributes = search.attribute ?? []
	const conditions = search.filter ?? []
	const chips = [
		...useTextChips(search).map(({ name, ...chip }) => ({
			...chip,
			name: name.replace(/_(id|uuid)$/, '').replaceAll('_', ' '),
			onRemove: () => set({ [name]: '' }),
		})),
		...conditions.map((condition) => ({
			name: 'condition',
			text: condition,
			onRemove: () => set({ filter: conditions.filter((other) => other !== condition) }),
		})),
		...attributes.map((condition) => ({
			name: 'attribute',
			text: condition,
			onRemove: () => set({ attribute: attributes.filter((other) => other !== condition) }),
		})),
	]
	return (
		<div className="mb-3 flex flex-wrap items-center gap-2">
			<Select
				aria-label="Which spans"
				className="w-36!"
				value={search.kind ?? search.calls ?? ''}
				onChange={({ target: { value } }) =>
					set(value === 'all' || value === 'failed' ? { calls: value, kind: '' } : { kind: value, calls: '' })
				}
			>
				<option value="">All</option>
				<option value="all">Calls</option>
				<option value="failed">Failed calls</option>
				{kinds.map((kind) => (
					<option key={kind} value={kind}>
						{kind === 'other' ? 'Other spans' : `${kindName[kind]}s`}
					</option>
				))}
			</Select>
			<OutcomeSelect value={search.status} onChange={(status) => set({ status })} />
			<AttributeField onAdd={(condition) => set({ attribute: [...attributes, condition] })} />
			<FilterChips chips={chips} />
			{chips.length > 1 && (
				<Button small variant="ghost" onClick={() => onChange(search.view ? { view: search.view } : {})}>
					Clear all
				</Button>
			)}
		</div>
	)
}

/** Ids are shown by the names of what they stand for. */
function useTextChips(search: ExplorerSearch) {
	const { data: servers } = useQuery({ ...serversQuery({}), enabled: search.server_id !== undefined })
	const { data: agents } = useQuery({ ...agentsQuery({}), enabled: search.agent_uuid !== undefined })
	const { data: keys } = useQuery({ ...keyNamesQuery, enabled: search.credential_id !== undefined })
	const nameOf = (id: string) =>
		servers?.mcp_servers.find((server) => server.id === id)?.name ??
		agents?.agents.find(({ uuid }) => uuid === id)?.name ??
		keys?.keys.find((key) => key.id === id)?.name ??
		id
	return textConditions.flatMap((name) => {
		const value = search[name]
		return value === undefined ? [] : [{ name, text: nameOf(value) }]
	})
}
