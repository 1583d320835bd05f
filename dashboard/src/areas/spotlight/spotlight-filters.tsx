import { spanStatuses } from '@signalbox/contract/span-status'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Input, Select } from '../../ui/field.tsx'
import { FilterChips } from '../../ui/filter-chips.tsx'
import { agentsQuery } from '../agents/queries.ts'
import { serversQuery } from '../servers/queries.ts'
import { AttributeField } from '../telemetry/attribute-field.tsx'
import type { CallFilter } from './breakdowns.ts'
import { kinds, parseSpotlightSearch, textFilters } from './spotlight-search.ts'

interface Props {
	filter: CallFilter
	onChange(filter: CallFilter): void
}

const words: Partial<Record<keyof CallFilter, string>> = { error_type: 'error type' }
const valueWords: Readonly<Record<string, string>> = { mcp: 'MCP request' }
const nameOf = (name: keyof CallFilter) => words[name] ?? name

/** Which calls are looked at: each condition as a chip, and a line to add one. */
export function SpotlightFilters({ filter, onChange }: Props) {
	const names = useNames()
	const { filter: conditions = [], ...equal } = filter
	const entries = Object.entries(equal) as [keyof typeof equal, string][]
	const setConditions = (next: string[]) => onChange({ ...equal, ...(next.length > 0 && { filter: next }) })
	const without = (gone: keyof CallFilter) => {
		const { [gone]: _, ...rest } = filter
		onChange(rest)
	}
	return (
		<div className="mb-4 flex flex-wrap items-center gap-2">
			<AddFilter filter={filter} onChange={onChange} names={names} />
			<AttributeField onAdd={(condition) => setConditions([...conditions, condition])} />
			<FilterChips
				chips={[
					...entries.map(([name, value]) => ({
						name: nameOf(name),
						text: names[name]?.find(({ id }) => id === value)?.label ?? value,
						onRemove: () => without(name),
					})),
					...conditions.map((condition) => ({
						name: 'condition',
						text: condition,
						onRemove: () => setConditions(conditions.filter((other) => other !== condition)),
					})),
				]}
			/>
			{entries.length + conditions.length > 1 && (
				<Button small variant="ghost" onClick={() => onChange({})}>
					Clear all
				</Button>
			)}
		</div>
	)
}

type Names = Partial<Record<keyof CallFilter, readonly { id: string; label: string }[]>>

/** What the values of some conditions are chosen from. */
function useNames(): Names {
	const { data: servers } = useQuery(serversQuery({}))
	const { data: agents } = useQuery(agentsQuery({}))
	const plain = (values: readonly string[]) =>
		values.map((id) => ({ id, label: valueWords[id] ?? id.replaceAll('_', ' ') }))
	return {
		kind: plain(kinds),
		status: plain(spanStatuses),
		server: (servers?.mcp_servers ?? []).map(({ id, name }) => ({ id, label: name })),
		agent: (agents?.agents ?? []).map(({ uuid, name }) => ({ id: uuid, label: name })),
	}
}

function AddFilter({ filter, onChange, names }: Props & { names: Names }) {
	const [name, setName] = useState<keyof CallFilter>('tool')
	const [value, setValue] = useState('')
	const choices = names[name]
	const add = (added: string) => {
		if (added.trim() === '') return
		const { by: _, ...next } = parseSpotlightSearch({ ...filter, [name]: added.trim() })
		onChange(next)
		setValue('')
	}
	const submit = (event: FormEvent) => {
		event.preventDefault()
		add(value)
	}
	return (
		<form onSubmit={submit} aria-label="Add a filter" className="flex flex-wrap gap-2">
			<Select
				aria-label="Filter by"
				className="w-32!"
				value={name}
				onChange={(event) => setName(event.target.value as keyof CallFilter)}
			>
				{(['kind', 'status', ...textFilters] as const).map((one) => (
					<option key={one} value={one}>
						{nameOf(one)}
					</option>
				))}
			</Select>
			{choices ? (
				<Select
					aria-label={`Value of ${nameOf(name)}`}
					className="w-44!"
					value=""
					onChange={(event) => add(event.target.value)}
				>
					<option value="">Choose…</option>
					{choices.map(({ id, label }) => (
						<option key={id} value={id}>
							{label}
						</option>
					))}
				</Select>
			) : (
				<>
					<Input
						aria-label={`Value of ${nameOf(name)}`}
						placeholder="Value"
						className="w-40!"
						value={value}
						onChange={(event) => setValue(event.target.value)}
					/>
					<Button type="submit" disabled={value.trim() === ''}>
						Add
					</Button>
				</>
			)}
		</form>
	)
}
