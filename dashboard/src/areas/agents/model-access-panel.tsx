import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Schemas } from '../../api.ts'
import { CheckLine } from '../../ui/controls.tsx'
import { Field, Input } from '../../ui/field.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import { FormPanel } from '../../ui/settings-panels.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useCan } from '../identity/session.ts'
import { connectionsQuery } from '../model-proxy/queries.ts'
import { type Agent, accessOfAgents, useChangeAgent } from './queries.ts'

type ModelAccess = Schemas['ModelAccess']
type Connections = NonNullable<ModelAccess['connections']>

const modes = [
	{ value: 'all', label: 'All models' },
	{ value: 'selected', label: 'Selected models' },
] as const

/** Which models the agent may call, by connection. */
export function ModelAccessPanel({ agent }: { agent: Agent }) {
	const edited = useDraft({ access: agent.model_access }, `models of ${agent.uuid}`)
	const { access } = edited.draft
	const setAccess = (next: ModelAccess) => edited.setDraft({ access: next })
	const canChange = useCan(accessOfAgents)
	const save = useChangeAgent(agent)
	return (
		<FormPanel
			title="Models"
			busy={save.isPending}
			edited={edited}
			disabled={!canChange}
			error={save.error}
			onSave={() => save.mutate({ model_access: access })}
		>
			<Segmented
				label="Which models"
				value={access.mode}
				options={modes}
				disabled={!canChange}
				onChange={(mode) =>
					setAccess(mode === 'all' ? { mode } : { mode, connections: agent.model_access.connections ?? [] })
				}
			/>
			{access.mode === 'selected' && (
				<ConnectionList
					chosen={access.connections ?? []}
					disabled={!canChange}
					onChange={(connections) => setAccess({ mode: 'selected', connections })}
				/>
			)}
		</FormPanel>
	)
}

interface ConnectionListProps {
	chosen: Connections
	disabled: boolean
	onChange(chosen: Connections): void
}

function ConnectionList({ chosen, disabled, onChange }: ConnectionListProps) {
	const { data } = useQuery(connectionsQuery)
	// A connection that is named here may be deleted, or may not exist yet.
	const names = [...new Set([...chosen, ...(data?.provider_keys ?? [])].map(({ name }) => name))].toSorted()
	if (names.length === 0) return <p className="text-ink-2">No model connections yet.</p>
	const set = (name: string, models: string[] | null) => {
		const others = chosen.filter((entry) => entry.name !== name)
		onChange(models ? [...others, { name, models }].toSorted((a, b) => (a.name < b.name ? -1 : 1)) : others)
	}
	return (
		<ul className="grid gap-2">
			{names.map((name) => {
				const entry = chosen.find((one) => one.name === name)
				return (
					<li key={name} className="rounded-lg border border-line px-2 py-1">
						<CheckLine
							label={name}
							checked={entry !== undefined}
							disabled={disabled}
							onChange={(on) => set(name, on ? ['*'] : null)}
						>
							<span className="font-mono text-xs">{name}</span>
						</CheckLine>
						{entry && (
							<div className="px-1 pb-2 pl-8">
								<Models models={entry.models} disabled={disabled} onChange={(models) => set(name, models)} />
							</div>
						)}
					</li>
				)
			})}
		</ul>
	)
}

interface ModelsProps {
	models: readonly string[]
	disabled: boolean
	onChange(models: string[]): void
}

function Models({ models, disabled, onChange }: ModelsProps) {
	const [text, setText] = useState(models.join(', '))
	return (
		<Field label="Models" hint="Comma-separated names; * matches any characters">
			{(field) => (
				<Input
					{...field}
					disabled={disabled}
					value={text}
					onChange={(event) => {
						setText(event.target.value)
						onChange([...new Set(event.target.value.split(',').map((name) => name.trim()))].filter(Boolean))
					}}
					className="font-mono text-xs"
				/>
			)}
		</Field>
	)
}
