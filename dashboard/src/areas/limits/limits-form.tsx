import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { api, refuseOvertaken, unwrap } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/field.tsx'
import { OvertakenNotice } from '../../ui/notice.tsx'
import { Panel } from '../../ui/page.tsx'
import { InlineError } from '../../ui/states.tsx'
import { Badge } from '../../ui/status.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useCan } from '../identity/session.ts'
import { type Limit, limitsQuery } from './queries.ts'

const names: Record<Limit['class'], { label: string; text: string }> = {
	api: { label: 'Platform API', text: 'Management calls of keys and people' },
	mcp: { label: 'MCP', text: 'Requests of agents to servers' },
	model: { label: 'Models', text: 'Calls through model connections' },
	otlp: { label: 'Telemetry', text: 'Exports of spans by ingest tokens' },
	anonymous: { label: 'Without a credential', text: 'Public pages and failed sign-in; set by the operator' },
}

const sources: Record<Limit['source'], string> = {
	default: 'default',
	operator: 'operator',
	workspace: 'this workspace',
}

type Entered = Pick<Limit, 'requests' | 'window_s'>

function byClass(limits: readonly Limit[]): Partial<Record<Limit['class'], Entered>> {
	return Object.fromEntries(
		limits.map(({ class: name, requests, window_s }) => [name, { requests, window_s }]),
	)
}

/** The limits of a workspace; where it sets none, those of the instance apply. */
export function LimitsForm({ limits }: { limits: readonly Limit[] }) {
	const canChange = useCan('workspace:write')
	const queries = useQueryClient()
	const edited = useDraft<Partial<Record<Limit['class'], Entered>>>(byClass(limits), 'limits')
	const { draft, setDraft, changes, isChanged } = edited
	const save = useMutation({
		mutationFn: async (wanted: typeof changes | null) => {
			// Based on what is stored now: the other classes belong to whoever changed them last.
			const stored = wanted ? (await unwrap(api.GET('/v1/limits'))).limits : []
			refuseOvertaken(byClass(limits), byClass(stored), wanted ?? {})
			const body = { limits: stored.map((limit) => ({ ...limit, ...wanted?.[limit.class] })) }
			return unwrap(api.PUT('/v1/limits', { body }))
		},
		onSuccess: async () => {
			toast('Saved')
			await queries.invalidateQueries({ queryKey: limitsQuery.queryKey })
		},
	})
	const submit = (event: FormEvent) => {
		event.preventDefault()
		save.mutate(changes, { onSuccess: edited.reset })
	}
	return (
		<form onSubmit={submit} className="grid gap-3">
			<Panel flush>
				<Table label="Limits">
					<thead>
						<tr>
							<Th>Requests to</Th>
							<Th className="hidden sm:table-cell">Counted per</Th>
							<Th>Requests</Th>
							<Th>In seconds</Th>
							<Th>Set by</Th>
						</tr>
					</thead>
					<tbody>
						{limits.map((limit) => (
							<LimitRow
								key={limit.class}
								limit={{ ...limit, ...draft[limit.class] }}
								disabled={!canChange || limit.class === 'anonymous'}
								onChange={({ requests, window_s }) =>
									setDraft({ ...draft, [limit.class]: { requests, window_s } })
								}
							/>
						))}
					</tbody>
				</Table>
			</Panel>
			<p className="text-xs text-ink-3">
				Leave the requests empty for no limit, unless the operator of the instance sets one.
			</p>
			{!save.isPending && <OvertakenNotice edited={edited} />}
			{save.error && <InlineError error={save.error} />}
			<div className="flex flex-wrap gap-2">
				<Button type="submit" variant="primary" busy={save.isPending} disabled={!canChange || !isChanged}>
					Save
				</Button>
				{isChanged && <Button onClick={edited.reset}>Undo</Button>}
				{limits.some(({ source }) => source === 'workspace') && (
					<Button
						disabled={!canChange || save.isPending}
						onClick={() => save.mutate(null, { onSuccess: edited.reset })}
					>
						Follow the instance
					</Button>
				)}
			</div>
		</form>
	)
}

interface LimitRowProps {
	limit: Limit
	disabled: boolean
	onChange(limit: Limit): void
}

function LimitRow({ limit, disabled, onChange }: LimitRowProps) {
	const { label, text } = names[limit.class]
	const setRequests = (requests: number | null) =>
		onChange({ ...limit, requests, window_s: requests === null ? null : (limit.window_s ?? 60) })
	return (
		<Row>
			<Td className="min-w-48">
				<span className="block font-medium">{label}</span>
				<span className="block text-xs text-ink-3">{text}</span>
			</Td>
			<Td className="hidden text-ink-2 sm:table-cell">{limit.per}</Td>
			<Td>
				<NumberInput
					label={`Requests: ${label}`}
					value={limit.requests}
					max={1_000_000_000}
					placeholder="no limit"
					disabled={disabled}
					onChange={setRequests}
				/>
			</Td>
			<Td>
				<NumberInput
					label={`Seconds: ${label}`}
					value={limit.window_s}
					max={86_400}
					disabled={disabled || limit.requests === null}
					onChange={(window_s) => onChange({ ...limit, window_s: window_s ?? 1 })}
				/>
			</Td>
			<Td>
				<Badge tone={limit.source === 'workspace' ? 'accent' : 'idle'} icon={null}>
					{sources[limit.source]}
				</Badge>
			</Td>
		</Row>
	)
}

interface NumberInputProps {
	label: string
	value: number | null
	max: number
	placeholder?: string
	disabled: boolean
	onChange(value: number | null): void
}

function NumberInput({ label, value, max, placeholder, disabled, onChange }: NumberInputProps) {
	return (
		<Input
			type="number"
			aria-label={label}
			min={1}
			max={max}
			placeholder={placeholder}
			disabled={disabled}
			value={value ?? ''}
			onChange={(event) =>
				onChange(event.target.value === '' ? null : Math.floor(Number(event.target.value)))
			}
			className="w-32! tabular-nums"
		/>
	)
}
