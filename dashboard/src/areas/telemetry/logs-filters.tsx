import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { DelayedSearch } from '../../ui/delayed-search.tsx'
import { Input, Select } from '../../ui/field.tsx'
import { FilterChips } from '../../ui/filter-chips.tsx'
import { isAttributeCondition } from './attribute-search.ts'
import { type LogsSearch, parseLogsSearch, severities } from './logs-search.ts'
import { ServiceSelect } from './service-select.tsx'

interface Props {
	search: LogsSearch
	onChange(search: LogsSearch): void
}

export function LogsFilters({ search, onChange }: Props) {
	const set = (change: Record<string, unknown>) => onChange(parseLogsSearch({ ...search, ...change }))
	const attributes = search.attribute ?? []
	const named = (['event_name', 'trace_id'] as const).flatMap((name) => {
		const text = search[name]
		return text ? [{ name: name.replace('_', ' '), text, onRemove: () => set({ [name]: '' }) }] : []
	})
	const chips = attributes.map((condition) => ({
		name: 'attribute',
		text: condition,
		onRemove: () => set({ attribute: attributes.filter((other) => other !== condition) }),
	}))
	return (
		<div className="mb-3 flex flex-wrap items-center gap-2">
			<DelayedSearch
				label="Text of the record"
				value={search.text ?? ''}
				onChange={(text) => set({ text })}
				className="w-full max-w-none sm:w-64"
			/>
			<Select
				aria-label="Severity"
				className="w-36!"
				value={search.severity_min ?? ''}
				onChange={(event) => set({ severity_min: event.target.value })}
			>
				<option value="">All severities</option>
				{severities.slice(1).map(([number, name]) => (
					<option key={number} value={number}>
						{name === 'FATAL' ? name : `${name} and worse`}
					</option>
				))}
			</Select>
			<ServiceSelect value={search.service} onChange={(service) => set({ service })} />
			<AttributeField onAdd={(condition) => set({ attribute: [...attributes, condition] })} />
			<FilterChips chips={[...named, ...chips]} />
		</div>
	)
}

const help = 'As in http.route=/v1/agents, retry.count>=2, name~=part, error.type, or !user.id'

/** Adds a condition on an attribute; several may hold at once. */
function AttributeField({ onAdd }: { onAdd(condition: string): void }) {
	const [text, setText] = useState('')
	const isGood = isAttributeCondition(text.trim())
	const submit = (event: FormEvent) => {
		event.preventDefault()
		if (!isGood) return
		onAdd(text.trim())
		setText('')
	}
	return (
		<form onSubmit={submit} aria-label="Add an attribute" className="flex gap-2">
			<Input
				aria-label="Attribute condition"
				title={help}
				placeholder="attribute=value"
				value={text}
				aria-invalid={text !== '' && !isGood ? true : undefined}
				onChange={(event) => setText(event.target.value)}
				className="w-52! font-mono text-xs"
			/>
			<Button type="submit" disabled={!isGood}>
				Add
			</Button>
		</form>
	)
}
