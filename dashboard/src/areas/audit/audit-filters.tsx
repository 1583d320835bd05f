import { SearchInput, Select } from '../../ui/field.tsx'
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
		<div className="mb-3 flex flex-wrap gap-2">
			<SearchInput
				label="Actor (name or ID)"
				defaultValue={search.actor ?? ''}
				onBlur={(event) => set({ actor: event.target.value.trim() })}
				onKeyDown={(event) => event.key === 'Enter' && set({ actor: event.currentTarget.value.trim() })}
				className="sm:w-48"
			/>
			<SearchInput
				label="Target (ID)"
				defaultValue={search.target ?? ''}
				onBlur={(event) => set({ target: event.target.value.trim() })}
				onKeyDown={(event) => event.key === 'Enter' && set({ target: event.currentTarget.value.trim() })}
				className="sm:w-48"
			/>
			<Select
				aria-label="Action"
				className="w-40!"
				value={search.action ?? ''}
				onChange={(event) => set({ action: event.target.value })}
			>
				<option value="">All actions</option>
				{areas.map(([value, label]) => (
					<option key={value} value={value}>
						{label}
					</option>
				))}
				{search.action && !areas.some(([value]) => value === search.action) && (
					<option value={search.action}>{search.action}</option>
				)}
			</Select>
			<Select
				aria-label="Time"
				className="w-40!"
				value={search.start ?? ''}
				onChange={(event) => onChange(parseAuditSearch({ ...search, start: event.target.value, end: '' }))}
			>
				<option value="">All time</option>
				{spans.map(([value, label]) => (
					<option key={value} value={value}>
						{label}
					</option>
				))}
				{search.start && !spans.some(([value]) => value === search.start) && (
					<option value={search.start}>Chosen time</option>
				)}
			</Select>
		</div>
	)
}
