"""A classifier behind an HTTP endpoint, http://… or https://…: a served model, or an LLM asked by a template."""

from __future__ import annotations

from ..inference.black_box import BlackBox
from ..inference.endpoint import Endpoint
from ..inference.template import Template, read_template
from ..interfaces.adapter import Access, Adapter, ForeignModel

KIND = "http"


class Http(Adapter):
    """Asked in batches, with retries, a rate limit and a memory; a template says what it takes and gives."""

    forms = "http(s)://…"

    @classmethod
    def recognizes(cls, model: object) -> bool:
        """Recognize a URL."""
        return isinstance(model, str) and model.startswith(("http://", "https://"))

    @classmethod
    def open(cls, model: object, access: Access) -> ForeignModel:
        """Read the template; an endpoint whose classes nobody names is asked about a text."""
        template = Template() if access.template is None else read_template(access.template)
        example = access.example[0] if len(access.example) == 1 else access.example
        endpoint = Endpoint(str(model), template, access.classes, example)
        return ForeignModel(BlackBox(endpoint, endpoint.classes, template.multi_label), endpoint.name, KIND)
