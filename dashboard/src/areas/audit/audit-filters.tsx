import { SearchInput } from '../../ui/field.tsx'
import { FilterRow, FilterSelect } from '../../ui/filter-row.tsx'
import { type AuditSearch, parseAuditSearch } from './audit-search.ts'

const areas = [
	['denied', 'Denials'],
	['cut', 'Cut calls'],
	['agents.*', 'Agents'],
	['servers.*', 'MCP servers'],
	['access.*', 'Grants'],
	['toolsets.*', 'Toolsets'],
	['keys.*', 'Keys'],
	['webhooks.*', 'Webhooks'],
	['forwarders.*', 'Forwarders'],
	['workspaces.*', 'Workspace'],
	['auth.*', 'Sign-in'],
] as const

const spans = [
	['-1h', 'Last hour'],
	['-24h', 'Last 24 hours'],
	['-7d', 'Last 7 days'],
	['-30d', 'Last 30 days'],
] as const

interface AuditFiltersProps {
	search: AuditSearch
	onChange(search: AuditSearch): void
}

export function AuditFilters({ search, onChange }: AuditFiltersProps) {
	const set = (change: AuditSearch) => onChange(parseAuditSearch({ ...search, ...change }))
	return (
		<FilterRow className="mb-3">
			<TextFilter label="Actor (name or ID)" value={search.actor} onChange={(actor) => set({ actor })} />
			<TextFilter label="Target (name or ID)" value={search.target} onChange={(target) => set({ target })} />
			<FilterSelect
				label="Action"
				all="All actions"
				options={areas}
				other={search.action}
				value={search.action}
				onChange={(action) => set({ action })}
			/>
			<FilterSelect
				label="Time"
				all="All time"
				options={spans}
				other="Chosen time"
				value={search.start}
				onChange={(start) => set({ start, end: '' })}
			/>
		</FilterRow>
	)
}

interface TextFilterProps {
	label: string
	value: string | undefined
	onChange(text: string): void
}

/** Takes effect when it is left or entered, since only whole names and ids match. */
function TextFilter({ label, value = '', onChange }: TextFilterProps) {
	return (
		<SearchInput
			label={label}
			defaultValue={value}
			onBlur={(event) => onChange(event.target.value.trim())}
			onKeyDown={(event) => event.key === 'Enter' && onChange(event.currentTarget.value.trim())}
			className="sm:w-48"
		/>
	)
}
