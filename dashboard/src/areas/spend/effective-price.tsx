import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { api, unwrap } from '../../api.ts'
import { describeDimension } from '../../lib/dimension-words.ts'
import { formatRate } from '../../lib/format.ts'
import { Button } from '../../ui/button.tsx'
import { Input } from '../../ui/field.tsx'
import { Panel } from '../../ui/page.tsx'
import { ErrorState, SkeletonRows } from '../../ui/states.tsx'
import { Row, Table, Td, Th } from '../../ui/table.tsx'

interface Props {
	provider: string
	model: string
	onAsk(of: { provider: string; model: string }): void
}

/** The current price of a model by dimension, with the source of each price. */
export function EffectivePrice({ provider, model, onAsk }: Props) {
	const [typed, setTyped] = useState({ provider, model })
	const submit = (event: FormEvent) => {
		event.preventDefault()
		onAsk({ provider: typed.provider.trim(), model: typed.model.trim() })
	}
	return (
		<Panel title="Current model price" flush>
			<form onSubmit={submit} className="flex flex-wrap gap-2 p-4">
				<Input
					aria-label="Provider of the model"
					placeholder="Provider, e.g. openai"
					value={typed.provider}
					onChange={(event) => setTyped({ ...typed, provider: event.target.value })}
					className="sm:w-52"
				/>
				<Input
					aria-label="Model name"
					placeholder="Model, e.g. gpt-5-mini"
					value={typed.model}
					onChange={(event) => setTyped({ ...typed, model: event.target.value })}
					className="sm:w-60"
				/>
				<Button type="submit" disabled={!typed.provider.trim() || !typed.model.trim()}>
					Look up
				</Button>
			</form>
			{provider && model && <Rates provider={provider} model={model} />}
		</Panel>
	)
}

function Rates({ provider, model }: { provider: string; model: string }) {
	const { data, error, refetch } = useQuery({
		queryKey: ['prices', 'effective', provider, model],
		queryFn: () => unwrap(api.GET('/v1/prices/effective', { params: { query: { provider, model } } })),
	})
	if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />
	if (!data) return <SkeletonRows rows={3} />
	if (data.rates.length === 0)
		return <p className="border-t border-line p-4 text-warn">No custom or built-in price.</p>
	return (
		<Table label={`Price of ${model}`}>
			<thead>
				<tr>
					<Th>Type</Th>
					<Th right>Price per 1M</Th>
					<Th>Factor</Th>
					<Th>From</Th>
				</tr>
			</thead>
			<tbody>
				{data.rates.map(({ dimension, nano_usd_per_million, factor, price }) => (
					<Row key={dimension}>
						<Td>{describeDimension(dimension)}</Td>
						<Td right>{formatRate(nano_usd_per_million)}</Td>
						<Td className="text-ink-2">{factor === '1/1' ? '–' : factor}</Td>
						<Td className="max-w-96 truncate text-ink-2">{price}</Td>
					</Row>
				))}
			</tbody>
		</Table>
	)
}
