"""Models of language and speech."""

import torch
from torch import nn

from .wrapping import Named, filled, for_export, ids, padded, program


def _bert():
    from transformers import BertConfig, BertForSequenceClassification
    config = BertConfig(vocab_size=99, hidden_size=32, intermediate_size=64, num_hidden_layers=3,
                        num_attention_heads=4, max_position_embeddings=64, num_labels=3)
    return Named(BertForSequenceClassification(config), ("logits",))


def _bert_inputs():
    kinds = torch.zeros(2, 16, dtype=torch.int64)
    kinds[:, 9:] = 1
    return {"input_ids": ids(2, 16, high=99), "attention_mask": padded(2, 16, 4),
            "token_type_ids": kinds}


def bert():
    return program(_bert, _bert_inputs())


def bert_dynamic_length():
    length = torch.export.Dim("length", min=2, max=64)
    return program(_bert, _bert_inputs(), dynamic_shapes={n: {1: length} for n in _bert_inputs()})


def t5():
    """The encoder reads the text, the decoder what is written so far."""
    from transformers import T5Config, T5ForConditionalGeneration
    config = T5Config(vocab_size=99, d_model=32, d_kv=8, d_ff=64, num_layers=2, num_heads=4,
                      feed_forward_proj="gated-gelu", use_cache=False, decoder_start_token_id=0)
    return program(
        lambda: Named(T5ForConditionalGeneration(config), ("logits", "encoder_last_hidden_state")),
        {"input_ids": ids(2, 14, high=99), "attention_mask": padded(2, 14, 3),
         "decoder_input_ids": ids(2, 5, high=99, seed=2)})


def whisper():
    from transformers import WhisperConfig, WhisperForConditionalGeneration
    config = WhisperConfig(
        vocab_size=99, num_mel_bins=16, d_model=32, encoder_layers=2, decoder_layers=2,
        encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=64,
        decoder_ffn_dim=64, max_source_positions=40, max_target_positions=24, use_cache=False,
        pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)
    return program(
        lambda: Named(for_export(WhisperForConditionalGeneration(config)), ("logits",)),
        {"input_features": filled(1, 16, 80), "decoder_input_ids": ids(1, 6, high=99)})


class LlamaStep(nn.Module):
    """One token: the past comes in and goes out as tensors, as servers keep it."""

    LAYERS = 2

    def __init__(self):
        super().__init__()
        from transformers import LlamaConfig, LlamaForCausalLM
        self.model = for_export(LlamaForCausalLM(LlamaConfig(
            vocab_size=99, hidden_size=32, intermediate_size=64, num_hidden_layers=self.LAYERS,
            num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64)))

    def forward(self, input_ids, attention_mask, key_0, value_0, key_1, value_1):
        from transformers import DynamicCache
        past = DynamicCache.from_legacy_cache(((key_0, value_0), (key_1, value_1)))
        out = self.model(input_ids=input_ids, attention_mask=attention_mask, past_key_values=past,
                         use_cache=True)
        answer = {"logits": out.logits}
        for layer, (key, value) in enumerate(out.past_key_values.to_legacy_cache()):
            answer[f"next_key_{layer}"], answer[f"next_value_{layer}"] = key, value
        return answer


def _llama_inputs(rows=2):
    past = {f"{what}_{layer}": filled(rows, 2, 9, 8, seed=3 + 2 * layer + (what == "value"))
            for layer in range(LlamaStep.LAYERS) for what in ("key", "value")}
    mask = torch.ones(rows, 10, dtype=torch.int64)
    mask[-1, :3] = 0  # padded on the left
    return {"input_ids": ids(rows, 1, high=99), "attention_mask": mask, **past}


def llama_step():
    return program(LlamaStep, _llama_inputs())


def llama_step_dynamic_past():
    """A past that grows by one token with each step."""
    inputs = _llama_inputs(rows=1)
    auto = torch.export.Dim.AUTO
    return program(LlamaStep, inputs, dynamic_shapes={
        name: {2: auto} if name[0] in "kv" else {1: auto} if name == "attention_mask" else None
        for name in inputs})
