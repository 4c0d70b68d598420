{{/* What all objects have. */}}
{{- define "sponsorgraph.labels" -}}
app.kubernetes.io/part-of: sponsorgraph
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/instance: {{ .Release.Name }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* An image of ours: (list $ "gateway") */}}
{{- define "sponsorgraph.image" -}}
{{- $root := index . 0 -}}
image: {{ $root.Values.image.registry }}/{{ index . 1 }}:{{ $root.Values.image.tag | default $root.Chart.AppVersion }}
{{- with $root.Values.image.pullPolicy }}
imagePullPolicy: {{ . }}
{{- end }}
{{- end }}

{{/* What the pod security standard "restricted" asks for, and a little more. */}}
{{- define "sponsorgraph.pod" -}}
automountServiceAccountToken: false
# A Service named gateway would otherwise put its address into GATEWAY_PORT.
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "sponsorgraph.user" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
seccompProfile: {type: RuntimeDefault}
{{- end }}

{{- define "sponsorgraph.container" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end }}

{{/* The settings of a process as one mapping: those of its template, of mutual TLS, and the operator's. */}}
{{- define "sponsorgraph.settings" -}}
{{- $settings := fromYaml .settings -}}
{{- if .root.Values.mutualTls.enabled -}}
{{- $settings = merge $settings (fromYaml .tls) -}}
{{- end -}}
{{- range $key, $value := mergeOverwrite $settings .values.config }}
{{ $key }}: {{ $value | toString | quote }}
{{- end -}}
{{- end }}

{{/*
A process: its ConfigMap, Deployment and budget of disruptions.
  root, name, image, command, secret, values, settings and tls (YAML), container (YAML: ports and probes)
*/}}
{{- define "sponsorgraph.process" -}}
{{- $settings := include "sponsorgraph.settings" . -}}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .name }}
  labels:
    app.kubernetes.io/name: {{ .name }}
    {{- include "sponsorgraph.labels" .root | nindent 4 }}
data:
  {{- $settings | nindent 2 }}
---
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .name }}
  labels:
    app.kubernetes.io/name: {{ .name }}
    {{- include "sponsorgraph.labels" .root | nindent 4 }}
spec:
  {{- if not (and .values.autoscaling .values.autoscaling.enabled) }}
  replicas: {{ .values.replicas }}
  {{- end }}
  selector:
    matchLabels: {app.kubernetes.io/name: {{ .name }}}
  # Callers find a new pod's address, and connect again to what was away, within this time.
  minReadySeconds: 10
  strategy:
    rollingUpdate: {maxSurge: 1, maxUnavailable: 0}
  template:
    metadata:
      labels:
        app.kubernetes.io/name: {{ .name }}
        app.kubernetes.io/part-of: sponsorgraph
      annotations:
        # Changed settings start the pods anew.
        checksum/settings: {{ $settings | sha256sum }}
    spec:
      {{- include "sponsorgraph.pod" .root | nindent 6 }}
      securityContext:
        {{- include "sponsorgraph.user" .root | nindent 8 }}
      terminationGracePeriodSeconds: {{ .root.Values.terminationGracePeriodSeconds }}
      topologySpreadConstraints:
        {{- range $key := list "topology.kubernetes.io/zone" "kubernetes.io/hostname" }}
        - maxSkew: 1
          topologyKey: {{ $key }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector: {matchLabels: {app.kubernetes.io/name: {{ $.name }}, app.kubernetes.io/part-of: sponsorgraph}}
          matchLabelKeys: [pod-template-hash]
        {{- end }}
      containers:
        - name: {{ .name }}
          {{- include "sponsorgraph.image" (list .root .image) | nindent 10 }}
          command: {{ toJson .command }}
          envFrom:
            - configMapRef: {name: {{ .name }}}
            - secretRef: {name: {{ .secret }}}
          {{- .container | nindent 10 }}
          resources: {{- toYaml .values.resources | nindent 12 }}
          # Callers hear that a pod leaves before it stops to listen.
          lifecycle: {preStop: {sleep: {seconds: 5}}}
          {{- include "sponsorgraph.container" .root | nindent 10 }}
          volumeMounts:
            - {name: tmp, mountPath: /tmp}
            {{- if .root.Values.mutualTls.enabled }}
            - {name: tls, mountPath: /etc/sponsorgraph/tls, readOnly: true}
            {{- end }}
      volumes:
        - {name: tmp, emptyDir: {sizeLimit: 64Mi}}
        {{- if .root.Values.mutualTls.enabled }}
        - {name: tls, secret: {secretName: {{ .name }}-tls}}
        {{- end }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .name }}
  labels:
    app.kubernetes.io/name: {{ .name }}
    {{- include "sponsorgraph.labels" .root | nindent 4 }}
spec:
  maxUnavailable: 1
  selector: {matchLabels: {app.kubernetes.io/name: {{ .name }}}}
{{- end }}

{{/* A headless Service, so that callers by dns:///NAME see every pod and take turns: root, name, port. */}}
{{- define "sponsorgraph.headless" -}}
apiVersion: v1
kind: Service
metadata:
  name: {{ .name }}
  labels:
    app.kubernetes.io/name: {{ .name }}
    {{- include "sponsorgraph.labels" .root | nindent 4 }}
spec:
  clusterIP: None
  selector: {app.kubernetes.io/name: {{ .name }}}
  ports:
    - {name: grpc, port: {{ .port }}, targetPort: grpc, appProtocol: kubernetes.io/h2c}
{{- end }}

{{/* Probes of gRPC's health, at the port that needs no certificate where calls need one: root, port. */}}
{{- define "sponsorgraph.startup" -}}
startupProbe:
  grpc: {port: {{ ternary 8110 .port .root.Values.mutualTls.enabled }}}
  periodSeconds: 1
  failureThreshold: 150
{{- end }}

{{- define "sponsorgraph.health" -}}
readinessProbe:
  grpc: {port: {{ ternary 8110 .port .root.Values.mutualTls.enabled }}}
  periodSeconds: 5
  timeoutSeconds: 2
# Patient: a server with much to do is late with this one as well.
livenessProbe:
  grpc: {port: {{ ternary 8110 .port .root.Values.mutualTls.enabled }}}
  timeoutSeconds: 5
  failureThreshold: 6
{{- end }}

{{- define "sponsorgraph.healthPort" -}}
{{- if .Values.mutualTls.enabled }}
- {name: health, containerPort: 8110}
{{- end }}
{{- end }}
