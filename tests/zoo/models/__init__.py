"""The zoo: small configurations of real models, by name, each with inputs that change at times."""

from . import diffusion, grounding, language, segmentation, serving, vision, vision_language

MODELS = {
    "clip": vision_language.clip,
    "clip_dynamic_texts": vision_language.clip_dynamic_texts,
    "siglip": vision_language.siglip,
    "blip": vision_language.blip,
    "owlvit": vision_language.owlvit,
    "llava": vision_language.llava,
    "grounding_dino": grounding.grounding_dino,
    "sam": segmentation.sam,
    "sam_with_masks": segmentation.sam_with_masks,
    "sam2": segmentation.sam2,
    "whisper": language.whisper,
    "t5": language.t5,
    "bert": language.bert,
    "bert_dynamic_length": language.bert_dynamic_length,
    "llama_step": language.llama_step,
    "llama_step_dynamic_past": language.llama_step_dynamic_past,
    "segformer": vision.segformer,
    "detr": vision.detr,
    "timesformer": vision.timesformer,
    "unet": diffusion.unet,
    "unet_dynamic_batch": diffusion.unet_dynamic_batch,
    "sd3": diffusion.sd3,
    "flux": diffusion.flux,
    "pixart": diffusion.pixart,
    "recommender": serving.recommender,
    "cameras": serving.cameras,
}

_PAST = ("key_0", "value_0", "key_1", "value_1")

# Of the dynamic ones: other sizes, by input and axis, one set a request.
SIZES = {
    "clip_dynamic_texts": [{"input_ids": {0: n}, "attention_mask": {0: n}} for n in (1, 5, 2)],
    "bert_dynamic_length": [
        {name: {1: n} for name in ("input_ids", "attention_mask", "token_type_ids")}
        for n in (2, 23, 16)],
    "llama_step_dynamic_past": [
        {"attention_mask": {1: n + 1}, **{name: {2: n} for name in _PAST}} for n in (10, 11, 3)],
    "unet_dynamic_batch": [
        {name: {0: n} for name in ("sample", "timestep", "encoder_hidden_states")}
        for n in (1, 3, 2)],
}
