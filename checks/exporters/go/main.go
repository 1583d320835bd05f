// Sends one trace with OpenTelemetry's stock exporter, over HTTP or gRPC depending on OTEL_EXPORTER_OTLP_PROTOCOL.
package main

import (
	"context"
	"errors"
	"os"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracegrpc"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

func exporter(ctx context.Context) (sdk.SpanExporter, error) {
	if os.Getenv("OTEL_EXPORTER_OTLP_PROTOCOL") == "grpc" {
		return otlptracegrpc.New(ctx)
	}
	return otlptracehttp.New(ctx)
}

func main() {
	ctx := context.Background()
	sender, err := exporter(ctx)
	if err != nil {
		panic(err)
	}
	about, _ := resource.New(ctx, resource.WithFromEnv(), resource.WithTelemetrySDK())
	provider := sdk.NewTracerProvider(sdk.WithBatcher(sender), sdk.WithResource(about))
	tracer := provider.Tracer("exporter", trace.WithInstrumentationVersion("1.0"))
	ctx, agent := tracer.Start(ctx, "invoke_agent planner", trace.WithAttributes(attribute.String("session.id", "go-session")))
	_, call := tracer.Start(ctx, "tools/call search", trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("mcp.method.name", "tools/call"),
		attribute.String("gen_ai.tool.name", "search"),
		attribute.Int64("count", 1<<60),
		attribute.Float64("ratio", 0.5),
		attribute.Bool("ok", true),
		attribute.StringSlice("list", []string{"a", "b"}),
	), trace.WithLinks(trace.LinkFromContext(ctx)))
	call.AddEvent("retry", trace.WithAttributes(attribute.Int("attempt", 2)))
	call.RecordError(errors.New("no such index"))
	call.SetStatus(codes.Error, "no such index")
	call.End()
	agent.End()
	if err := provider.Shutdown(ctx); err != nil {
		panic(err)
	}
}
